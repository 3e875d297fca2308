/** Position of a value in one heap. One class for all heaps keeps their inner loops monomorphic. */
export class HeapNode<T> {
  key = 0;
  /** Decides between equal keys. */
  tie = 0;
  /** Position in the heap's array; -1 outside. */
  index = -1;
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }
}

/** Binary min-heap by (key, tie). Nodes know their position, so any node can be moved or removed in O(log n). */
export class BinaryHeap<T> {
  readonly #nodes: HeapNode<T>[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  /** Returns the node with the smallest key. */
  peek(): HeapNode<T> | undefined {
    return this.#nodes[0];
  }

  push(node: HeapNode<T>): void {
    this.#rise(node, this.#nodes.length);
  }

  /** Moves a node of this heap to the position of its changed key. */
  update(node: HeapNode<T>): void {
    this.#settle(node, node.index);
  }

  /** Removes a node of this heap; does nothing for a node outside. */
  remove(node: HeapNode<T>): void {
    const index = node.index;
    if (index < 0) return;
    node.index = -1;
    const last = this.#nodes.pop();
    if (last !== undefined && last !== node) this.#settle(last, index);
  }

  /** Returns the nodes in no useful order, the one with the smallest key first. */
  nodes(): readonly HeapNode<T>[] {
    return this.#nodes;
  }

  /** Returns a heap of copies of the nodes, which yields equal keys in the same order. `nodeOf` returns a node outside any heap. */
  copy<Copy>(nodeOf: (value: T) => HeapNode<Copy>): BinaryHeap<Copy> {
    const copy = new BinaryHeap<Copy>();
    for (const { key, tie, value } of this.#nodes) {
      const node = nodeOf(value);
      node.key = key;
      node.tie = tie;
      copy.push(node);
    }
    return copy;
  }

  #settle(node: HeapNode<T>, index: number): void {
    const parent = this.#nodes[(index - 1) >> 1];
    if (index > 0 && parent !== undefined && precedes(node, parent)) this.#rise(node, index);
    else this.#sink(node, index);
  }

  #rise(node: HeapNode<T>, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = nodes[parentIndex];
      if (parent === undefined || !precedes(node, parent)) break;
      nodes[index] = parent;
      parent.index = index;
      index = parentIndex;
    }
    nodes[index] = node;
    node.index = index;
  }

  #sink(node: HeapNode<T>, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      let child = nodes[left];
      if (child === undefined) break;
      let childIndex = left;
      const right = nodes[left + 1];
      if (right !== undefined && precedes(right, child)) {
        child = right;
        childIndex = left + 1;
      }
      if (!precedes(child, node)) break;
      nodes[index] = child;
      child.index = index;
      index = childIndex;
    }
    nodes[index] = node;
    node.index = index;
  }
}

function precedes(a: HeapNode<unknown>, b: HeapNode<unknown>): boolean {
  return a.key < b.key || (a.key === b.key && a.tie < b.tie);
}
