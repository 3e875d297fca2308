import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { runDetached } from './detached.ts';

/** Schedules background work: repeatedly, each time a delay after its last end, or once. Dispose it with `stop()`. */
export class Chores {
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #cancels = new Set<() => void>();
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;

  constructor(deps: { clock: Clock; log: Pick<Logger, 'warn'> }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /**
   * Starts `work` after `firstMs`, and again `delayMs` after each end, until `stop()`. Failures are logged. A function as delay is asked
   * after each end: work that finds little to do can rest longer. Returns a function that ends such a rest.
   */
  every(delayMs: number | (() => number), work: () => Promise<void>, firstMs?: number): () => void {
    const delay = typeof delayMs === 'number' ? () => delayMs : delayMs;
    let start = () => {};
    const next = (waitMs: number) => {
      start = this.#begin(waitMs, work, () => next(delay()));
    };
    next(firstMs ?? delay());
    return () => start();
  }

  /** Starts `work` after `delayMs`, unless `stop()` comes first. A failure is logged. */
  once(delayMs: number, work: () => Promise<void>): void {
    this.#begin(delayMs, work, () => {});
  }

  /** Returns a function that starts the work before `waitMs`; without effect once it has started. */
  #begin(waitMs: number, work: () => Promise<void>, ended: () => void): () => void {
    const start = () => {
      if (this.#stopped || !this.#cancels.delete(cancel)) return;
      cancel();
      const run = runDetached(work)
        .catch((error) => {
          if (!this.#stopped) this.#log.warn({ err: error }, 'background chore failed');
        })
        .finally(() => {
          this.#underWay.delete(run);
          ended();
        });
      this.#underWay.add(run);
    };
    if (this.#stopped) return start;
    const cancel = this.#clock.schedule(waitMs, start);
    this.#cancels.add(cancel);
    return start;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Starts no more work; resolves when work in progress has ended. Its failures are not logged any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all(this.#underWay);
  }
}
