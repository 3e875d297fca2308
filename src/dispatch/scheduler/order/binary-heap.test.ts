import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BinaryHeap, HeapNode } from './binary-heap.ts';

const operation = fc.record({
  what: fc.constantFrom('push', 'remove', 'update', 'pop'),
  key: fc.nat(20),
  pick: fc.nat(),
});

/** Removes and returns the node with the smallest key. */
function pop<T>(heap: BinaryHeap<T>): HeapNode<T> | undefined {
  const first = heap.peek();
  if (first !== undefined) heap.remove(first);
  return first;
}

test('binary heap: after any pushes, updates and removals → pops the smallest key', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const heap = new BinaryHeap<number>();
      let nodes: HeapNode<number>[] = [];
      for (const [index, { what, key, pick }] of operations.entries()) {
        const picked = nodes[pick % Math.max(1, nodes.length)];
        if (what === 'push') {
          const node = new HeapNode(index);
          node.key = key;
          nodes.push(node);
          heap.push(node);
        } else if (what === 'pop') {
          const popped = pop(heap);
          assert.equal(popped?.key, nodes.length === 0 ? undefined : Math.min(...nodes.map((node) => node.key)));
          nodes = nodes.filter((node) => node !== popped);
        } else if (picked !== undefined && what === 'update') {
          picked.key = key;
          heap.update(picked);
        } else if (picked !== undefined) {
          heap.remove(picked);
          nodes = nodes.filter((node) => node !== picked);
        }
        assert.equal(heap.size, nodes.length);
        assert.ok(nodes.every((node) => node.index >= 0));
      }
    }),
  );
});

test('binary heap: equal keys → the smaller tie comes first', () => {
  const heap = new BinaryHeap<string>();
  for (const [value, tie] of [
    ['b', 2],
    ['a', 1],
    ['c', 3],
  ] as const) {
    const node = new HeapNode<string>(value);
    node.tie = tie;
    heap.push(node);
  }
  assert.deepEqual([pop(heap)?.value, pop(heap)?.value, pop(heap)?.value, pop(heap)], ['a', 'b', 'c', undefined]);
});

test('binary heap: removing a node that is in no heap → no change', () => {
  const heap = new BinaryHeap<number>();
  heap.push(new HeapNode(1));
  heap.remove(new HeapNode(2));
  assert.equal(heap.size, 1);
});
