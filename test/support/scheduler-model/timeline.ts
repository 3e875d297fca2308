import { BinaryHeap, HeapNode } from '../../../src/dispatch/scheduler/order/binary-heap.ts';

/** Virtual time: events happen in the order of their time, and in the order of scheduling if the times are equal. */
export class Timeline {
  nowMs = 0;
  readonly #events = new BinaryHeap<() => void>();
  #scheduled = 0;

  at(timeMs: number, event: () => void): void {
    const node = new HeapNode(event);
    node.key = Math.max(timeMs, this.nowMs);
    node.tie = this.#scheduled++;
    this.#events.push(node);
  }

  in(delayMs: number, event: () => void): void {
    this.at(this.nowMs + delayMs, event);
  }

  /** Runs the next event; returns false if there is none up to `untilMs`. */
  step(untilMs: number): boolean {
    const next = this.#events.peek();
    if (next === undefined || next.key > untilMs) return false;
    this.#events.remove(next);
    this.nowMs = next.key;
    next.value();
    return true;
  }
}
