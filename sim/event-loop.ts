import type { Random } from '../src/core/seeded-random.ts';
import { BinaryHeap, HeapNode } from '../src/dispatch/scheduler/order/binary-heap.ts';

/**
 * Virtual time: events happen in the order of their time, and of scheduling when that is equal. Nothing happens between two
 * events but the promise reactions of the first, so that a run depends on nothing but what was scheduled.
 */
export class EventLoop {
  nowMs = 0;
  /** Events that have happened. */
  count = 0;
  readonly #events = new BinaryHeap<() => void>();
  #scheduled = 0;
  #failure: { error: unknown } | undefined;

  /** Lets `event` happen after `delayMs`; the returned function prevents it. */
  in(delayMs: number, event: () => void): () => void {
    const node = new HeapNode(event);
    node.key = this.nowMs + Math.max(0, delayMs);
    node.tie = this.#scheduled++;
    this.#events.push(node);
    return () => this.#events.remove(node);
  }

  /** Ends the run with this error after the present event: for what is found wrong where throwing would go unheard. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Lets events happen until `isOver` after one of them, or none is left up to `untilMs`. Rejects with what an event threw. */
  run(untilMs: number, isOver: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const step = () => {
      try {
        if (this.#failure !== undefined) throw this.#failure.error;
        const next = this.#events.peek();
        if (isOver()) return resolve();
        if (next === undefined || next.key > untilMs) {
          this.nowMs = untilMs;
          return resolve();
        }
        this.#events.remove(next);
        this.nowMs = next.key;
        this.count += 1;
        next.value();
      } catch (error) {
        return reject(error);
      }
      afterReactions(step);
    };
    afterReactions(step);
    return promise;
  }
}

/** Lets `event` happen again and again, `meanMs` apart on average, until `isOver`; never where that is infinite. */
export function recur(
  { loop, random, isOver }: { loop: EventLoop; random: Random; isOver: () => boolean },
  meanMs: number,
  event: () => void,
): void {
  if (meanMs === Number.POSITIVE_INFINITY) return;
  loop.in(2 * meanMs * random.next(), () => {
    if (isOver()) return;
    event();
    recur({ loop, random, isOver }, meanMs, event);
  });
}

/**
 * Calls back when no promise reaction is left to run. A tick asked for by a microtask comes after all microtasks, those they
 * make included; going through the event loop of the process instead would cost a system call per event.
 */
function afterReactions(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
