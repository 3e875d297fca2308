import { AppError } from '../../core/errors.ts';
import { Lanes } from '../../core/limits/lanes.ts';
import { MinuteBudget } from '../../core/limits/minute-budget.ts';

const PER_MINUTE = 60;
const AT_ONCE = 4;

/** Bounds what one organization makes this node fetch: 60 files a minute, four at once. */
export class SampleGate {
  readonly #budget = new MinuteBudget(PER_MINUTE);
  readonly #lanes = new Lanes(AT_ONCE);

  /** Counts `files` to be fetched. Raises RATE_LIMITED when they are more than the organization has left. */
  admit(organizationId: string, files: number, nowMs: number): void {
    const waitMs = this.#budget.take(organizationId, files, nowMs);
    if (waitMs === 0) return;
    const message = `At most ${PER_MINUTE} sample files a minute are fetched for an organization.`;
    throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: waitMs / 1000 });
  }

  /** Runs `task` when the organization has a place free, in the order of the calls. */
  async run<T>(organizationId: string, task: () => Promise<T>): Promise<T> {
    await this.#lanes.enter(organizationId);
    try {
      return await task();
    } finally {
      this.#lanes.leave(organizationId);
    }
  }
}
