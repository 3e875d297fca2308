import { AppError } from '../../core/errors.ts';
import { Lanes } from '../../core/limits/lanes.ts';
import { MinuteBudget } from '../../core/limits/minute-budget.ts';

const PER_MINUTE = 60;
const AT_ONCE = 4;

/** Limits this node's fetches for one organization: 60 files a minute, four at once. */
export class SampleGate {
  readonly #budget = new MinuteBudget(PER_MINUTE);
  readonly #lanes = new Lanes(AT_ONCE);

  /** Counts `files` to fetch. Raises RATE_LIMITED if they exceed the organization's remaining budget. */
  admit(organizationId: string, files: number, nowMs: number): void {
    const waitMs = this.#budget.take(organizationId, files, nowMs);
    if (waitMs === 0) return;
    const message = `At most ${PER_MINUTE} sample files a minute are fetched for an organization.`;
    throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: waitMs / 1000 });
  }

  /** Runs `task` when one of the organization's four slots is free, in the order of the calls. */
  async run<T>(organizationId: string, task: () => Promise<T>): Promise<T> {
    await this.#lanes.enter(organizationId);
    try {
      return await task();
    } finally {
      this.#lanes.leave(organizationId);
    }
  }
}
