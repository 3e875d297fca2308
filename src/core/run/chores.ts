import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { runDetached } from './detached.ts';

/** Runs work again and again, each time a while after it last ended, or once after a while. Dispose it with `stop()`. */
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

  /** Begins `work` when `firstMs` have passed, and again `delayMs` after each end of it, until `stop()`. A failure is logged. */
  every(delayMs: number, work: () => Promise<void>, firstMs = delayMs): void {
    const next = (waitMs: number) => this.#begin(waitMs, work, () => next(delayMs));
    next(firstMs);
  }

  /** Begins `work` when `delayMs` have passed, unless `stop()` comes first. A failure is logged. */
  once(delayMs: number, work: () => Promise<void>): void {
    this.#begin(delayMs, work, () => {});
  }

  #begin(waitMs: number, work: () => Promise<void>, ended: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#clock.schedule(waitMs, () => {
      this.#cancels.delete(cancel);
      const run = runDetached(work)
        .catch((error) => {
          if (!this.#stopped) this.#log.warn({ err: error }, 'background chore failed');
        })
        .finally(() => {
          this.#underWay.delete(run);
          ended();
        });
      this.#underWay.add(run);
    });
    this.#cancels.add(cancel);
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Begins nothing more; resolves when work under way has come to its end. A failure of it is not logged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all(this.#underWay);
  }
}
