import { bucketLimit, chargedTatMs, readyAtMs } from '../../core/limits/rate-limit.ts';

/** Failed sign-ins that an address may make at once, and the time in ms after which it may make another. */
const FAILURES = bucketLimit(6_000, 100);
const ADDRESSES_MAX = 10_000;

/** Counts failed sign-ins by address, in this process. The limit slows down guessing; it never refuses a right token. */
export class SignInLimit {
  readonly #tats = new Map<string, number>();

  /** Counts a failure. Returns the seconds to wait if the address has failed too often; 0 if it has not. */
  failed(address: string, nowMs: number): number {
    const tatMs = this.#tats.get(address) ?? 0;
    const waitMs = readyAtMs(FAILURES, tatMs) - nowMs;
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    // Put at the young end, so that the address that failed last long ago is forgotten first.
    this.#tats.delete(address);
    this.#tats.set(address, chargedTatMs(FAILURES, tatMs, nowMs, 1));
    const [oldest] = this.#tats.keys();
    if (this.#tats.size > ADDRESSES_MAX && oldest !== undefined) this.#tats.delete(oldest);
    return 0;
  }
}
