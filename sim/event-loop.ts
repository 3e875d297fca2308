import type { Random } from '../src/core/seeded-random.ts';
import { BinaryHeap, HeapNode } from '../src/dispatch/scheduler/order/binary-heap.ts';

/**
 * Virtual time: events happen in the order of their time, and in the order of scheduling if the times are equal. Only the promise reactions
 * of an event run before the next event, so a run depends on nothing but the scheduled events.
 */
export class EventLoop {
  nowMs = 0;
  /** Number of events that have happened. */
  count = 0;
  readonly #events = new BinaryHeap<() => void>();
  #scheduled = 0;
  #failure: { error: unknown } | undefined;

  /** Schedules `event` after `delayMs`; the returned function cancels it. */
  in(delayMs: number, event: () => void): () => void {
    const node = new HeapNode(event);
    node.key = this.nowMs + Math.max(0, delayMs);
    node.tie = this.#scheduled++;
    this.#events.push(node);
    return () => this.#events.remove(node);
  }

  /** Ends the run with this error after the present event. Used for violations found in code whose exceptions would be swallowed. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Runs events until `isOver` is true after an event, or none is left up to `untilMs`. Rejects with the error that an event threw. */
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

/** Repeats `event` at random intervals of `meanMs` on average until `isOver`; never runs it if `meanMs` is infinite. */
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
 * Calls back when no promise reaction is left to run. A tick requested by a microtask comes after all microtasks, including those that they
 * queue. A turn of the real event loop would cost a system call per event.
 */
function afterReactions(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
