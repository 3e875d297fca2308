import { runDetached } from '../../core/run/detached.ts';
import type { Clock } from '../../core/time/clock.ts';

export interface MicroBatcherOptions<Item, Result> {
  /** Handles one batch; resolves to one result per item, in order. A rejection rejects every item of the batch. */
  flush(items: Item[]): Promise<Result[]>;
  /** Largest batch. */
  itemsMax: number;
  /** Batches under way at once. */
  lanes: number;
  /** Items that make a batch beside one under way worth its cost; fewer wait for that one. One when absent. */
  besideMin?: number;
  /**
   * So many waiting begin a batch at once, in the middle of a turn and without regard to spacing, while a lane is free: a turn in which
   * many come is long, and the batch can be under way meanwhile. A full batch when absent.
   */
  enough?: number;
  /** Least time between the beginnings of two batches, so that more items share what a batch costs; none when absent. */
  spacing?: { ms: number; clock: Clock };
  /** Items waiting before `submit` refuses, and the error it rejects with then; as many as come when absent. */
  bound?: { pendingMax: number; overflow: () => Error };
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Turns single submissions into sets. A lane that is idle takes everything that has gathered, at once when the last batch began
 * a spacing ago: so an idle system adds no wait, a little load next to none, and a busy one makes its own batches larger.
 */
export class MicroBatcher<Item, Result> {
  readonly #options: MicroBatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #busyLanes = 0;
  #startQueued = false;
  #nextStartMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #idleListeners: (() => void)[] = [];

  constructor(options: MicroBatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's own result once its batch is done. */
  submit(item: Item): Promise<Result> {
    const { bound } = this.#options;
    if (bound !== undefined && this.#waiting.length >= bound.pendingMax) return Promise.reject(bound.overflow());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#startInTime();
    });
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** Resolves when nothing waits and no batch is under way. */
  idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#busyLanes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  // Starting after the current turn of the event loop lets what the same poll delivered share the first batch.
  #startInTime(): void {
    if (!this.#mayStart()) return;
    if (this.#waiting.length >= this.#enough) {
      this.#start();
      return;
    }
    if (this.#startQueued) return;
    const { spacing } = this.#options;
    const waitMs = spacing === undefined ? 0 : this.#nextStartMs - spacing.clock.monotonicMs();
    if (spacing === undefined || waitMs <= 0) {
      this.#startQueued = true;
      setImmediate(() => {
        this.#startQueued = false;
        this.#start();
      });
    } else {
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
