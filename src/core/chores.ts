import type { Logger } from 'pino';
import type { Clock } from './clock.ts';

/** Runs work again and again, each time a while after it last ended. Dispose it with `stop()`. */
export class Chores {
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #cancels = new Set<() => void>();
  #stopped = false;

  constructor(deps: { clock: Clock; log: Pick<Logger, 'warn'> }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** Begins `work` when `firstMs` have passed, and again `delayMs` after each end of it, until `stop()`. A failure is logged. */
  every(delayMs: number, work: () => Promise<void>, firstMs = delayMs): void {
    const next = (waitMs: number) => {
      if (this.#stopped) return;
      const cancel = this.#clock.schedule(waitMs, () => {
        this.#cancels.delete(cancel);
        work()
          .catch((error) => this.#stopped || this.#log.warn({ err: error }, 'background chore failed'))
          .finally(() => next(delayMs));
      });
      this.#cancels.add(cancel);
    };
    next(firstMs);
  }

  /** Begins nothing more; work under way goes on to its end, and a failure of it is not logged. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
  }
}
