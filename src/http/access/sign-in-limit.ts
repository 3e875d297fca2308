import { bucketLimit } from '../../core/limits/rate-limit.ts';
import { RateMeter } from '../../core/limits/rate-meter.ts';

/** Failed sign-ins that an address may make at once, and the time in ms after which it may make another. */
const FAILURES = bucketLimit(6_000, 100);

/** Counts failed sign-ins by address, in this process. The limit slows down guessing; it never refuses a right token. */
export class SignInLimit {
  readonly #failures = new RateMeter();

  /** Counts a failure. Returns the seconds to wait if the address has failed too often; 0 if it has not. */
  failed(address: string, nowMs: number): number {
    return Math.ceil(this.#failures.take(address, FAILURES, nowMs) / 1000);
  }
}
