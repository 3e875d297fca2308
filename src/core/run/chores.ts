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

  /** Starts `work` after `firstMs`, and again `delayMs` after each end, until `stop()`. Failures are logged. */
  every(delayMs: number, work: () => Promise<void>, firstMs = delayMs): void {
    const next = (waitMs: number) => this.#begin(waitMs, work, () => next(delayMs));
    next(firstMs);
  }

  /** Starts `work` after `delayMs`, unless `stop()` comes first. A failure is logged. */
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

  /** Starts no more work; resolves when work in progress has ended. Its failures are not logged any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all(this.#underWay);
  }
}
