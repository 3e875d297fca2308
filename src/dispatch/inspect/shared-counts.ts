import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/time/clock.ts';
import type { QueuedNumber } from '../queue/queue-count-queries.ts';

/** A queue of fewer messages is counted for every reader. */
const LONG_QUEUE = 10_000;
/** A count is reused for this many times its own duration, and 30 s at most: pages that poll a long queue take little of the database. */
const PAUSE = 50;
const REUSE_MS_MAX = 30_000;
const COUNTS_MAX = 100;
/** A count that takes longer is of a long queue: later readers wait for the same one. */
const SHORT_MS = 500;

interface Count {
  numbers: QueuedNumber[];
  /** Epoch ms. */
  countedAtMs: number;
  reuseUntilMs: number;
}

/** Counts of long queues that readers share, by filter. */
export class SharedCounts {
  readonly #clock: Clock;
  readonly #counts = new LRUCache<string, Count>({ max: COUNTS_MAX });
  readonly #running = new Map<string, { count: Promise<Count>; startedAtMs: number }>();
  #clearings = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes the next reader count again. Without this, a number that was just paused would be shown as it was. */
  clear(): void {
    this.#clearings += 1;
    this.#counts.clear();
    this.#running.clear();
  }

  /** Returns the count under `key`: an earlier one, one in progress, or else a new one. */
  async read(key: string, count: () => Promise<QueuedNumber[]>): Promise<Count> {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#counts.get(key);
    if (last !== undefined && nowMs < last.reuseUntilMs) return last;
    const running = this.#running.get(key);
    if (running !== undefined && (last !== undefined || nowMs - running.startedAtMs > SHORT_MS))
      return await running.count;
    const begun = { count: this.#count(key, count), startedAtMs: nowMs };
    this.#running.set(key, begun);
    return await begun.count.finally(() => {
      if (this.#running.get(key) === begun) this.#running.delete(key);
    });
  }

  async #count(key: string, count: () => Promise<QueuedNumber[]>): Promise<Count> {
    const startedAtMs = this.#clock.monotonicMs();
    const clearings = this.#clearings;
    const numbers = await count();
    const endedAtMs = this.#clock.monotonicMs();
    const reuseMs = Math.min((endedAtMs - startedAtMs) * PAUSE, REUSE_MS_MAX);
    const counted = { numbers, countedAtMs: this.#clock.now(), reuseUntilMs: endedAtMs + reuseMs };
    // A count that a change has overtaken is for its own reader only.
    if (this.#clearings !== clearings) return counted;
    this.#counts.delete(key);
    const queued = numbers.flatMap(({ flows }) => flows).reduce((sum, flow) => sum + flow.queued, 0);
    if (queued >= LONG_QUEUE) this.#counts.set(key, counted);
    return counted;
  }
}
