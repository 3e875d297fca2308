import { AppError } from '../../core/errors.ts';
import { bucketLimit } from '../../core/limits/rate-limit.ts';
import { RateMeter } from '../../core/limits/rate-meter.ts';
import { Slots } from '../../core/limits/slots.ts';

const PER_MINUTE = 60;
const AT_ONCE = 4;
const RATE = bucketLimit(60_000 / PER_MINUTE, PER_MINUTE);

/** Limits this node's fetches for one organization: 60 files a minute, four at once. */
export class SampleGate {
  readonly #meter = new RateMeter();
  readonly #slots = new Slots({ partyMax: AT_ONCE });

  /** Counts `files` to fetch. Raises RATE_LIMITED if they exceed what is left to the organization. */
  admit(organizationId: string, files: number, nowMs: number): void {
    const waitMs = this.#meter.take(organizationId, RATE, nowMs, files);
    if (waitMs === 0) return;
    const message = `At most ${PER_MINUTE} sample files a minute are fetched for an organization.`;
    throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: waitMs / 1000 });
  }

  /** Runs `task` when one of the organization's four slots is free, in the order of the calls. */
  async run<T>(organizationId: string, task: () => Promise<T>): Promise<T> {
    using _slot = await this.#slots.acquire(organizationId);
    return await task();
  }
}
