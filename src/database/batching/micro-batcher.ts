import { runDetached } from '../../core/run/detached.ts';
import { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';

export interface MicroBatcherOptions<Item, Result> {
  /** Handles one batch; resolves to one result per item, in order. A rejection rejects every item of the batch. */
  flush(items: Item[]): Promise<Result[]>;
  /** Largest number of items in a batch. */
  itemsMax: number;
  /** Most batches in progress at once. */
  lanes: number;
  /** Fewest items that start a batch beside one in progress; fewer items wait until that batch ends. 1 when absent. */
  besideMin?: number;
  /**
   * Number of waiting items that starts a batch at once, within the turn and regardless of spacing, if a lane is free. A turn that
   * receives many items is long, and the batch can run meanwhile. `itemsMax` when absent.
   */
  enough?: number;
  /** Shortest time between two batch starts, so that more items share the cost of a batch; none when absent. */
  spacing?: { ms: number; clock: Clock };
  /** Most waiting items before `submit` refuses, and the error it rejects with; unlimited when absent. */
  bound?: { pendingMax: number; overflow: () => Error };
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Gathers single submissions into batches. A free lane takes all waiting items, at once if the last batch started at least one spacing
 * ago. An idle system therefore adds no delay, light load hardly any, and a busy system forms larger batches by itself.
 */
export class MicroBatcher<Item, Result> {
  readonly #options: MicroBatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #busyLanes = 0;
  readonly #wakeup = new Wakeup(() => this.#start());
  #nextStartMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  /** True if a waiting item is not to wait for the spacing. */
  #isUrgent = false;
  #idleListeners: (() => void)[] = [];

  constructor(options: MicroBatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's own result when its batch is done. An urgent item does not wait for the spacing, and takes all others along. */
  submit(item: Item, isUrgent = false): Promise<Result> {
    const { bound } = this.#options;
    if (bound !== undefined && this.#waiting.length >= bound.pendingMax) return Promise.reject(bound.overflow());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#isUrgent ||= isUrgent;
      this.#startInTime();
    });
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** Resolves when no item waits and no batch is in progress. */
  idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#busyLanes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  // A start after the current turn of the event loop lets all items of the same poll share the first batch.
  #startInTime(): void {
    if (!this.#mayStart()) return;
    if (this.#waiting.length >= this.#enough) {
      this.#start();
      return;
    }
    const { spacing } = this.#options;
    const waitMs = spacing === undefined || this.#isUrgent ? 0 : this.#nextStartMs - spacing.clock.monotonicMs();
    if (spacing === undefined || waitMs <= 0) this.#wakeup.wake();
    else {
      this.#cancelTimer ??= spacing.clock.schedule(waitMs, () => {
        this.#cancelTimer = undefined;
        this.#start();
      });
    }
  }

  get #enough(): number {
    return this.#options.enough ?? this.#options.itemsMax;
  }

  #mayStart(): boolean {
    const { lanes, besideMin = 1 } = this.#options;
    return this.#busyLanes < lanes && this.#waiting.length >= (this.#busyLanes === 0 ? 1 : besideMin);
  }

  #start(): void {
    const { itemsMax, spacing } = this.#options;
    if (!this.#mayStart()) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isUrgent = false;
    if (spacing !== undefined) this.#nextStartMs = spacing.clock.monotonicMs() + spacing.ms;
    this.#busyLanes += 1;
    const batch = this.#waiting.splice(0, itemsMax);
    void runDetached(() => this.#run(batch));
    this.#startInTime();
  }

  async #run(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.flush(batch.map((waiting) => waiting.item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
    this.#busyLanes -= 1;
    this.#startInTime();
    if (this.#busyLanes === 0 && this.#waiting.length === 0) {
      for (const listener of this.#idleListeners.splice(0)) listener();
    }
  }
}
