import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../core/digest.ts';
import type { Clock } from '../core/time/clock.ts';

const LINK_MS = 60 * 60_000;

/**
 * One-time codes that sign in as the holder of ADMIN_TOKEN, for the banner of the demo. They live in this process only, or in the supervisor of workers: a code is
 * worth nothing after one use, after an hour, or after a restart.
 */
export class SignInLinks {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Time at which each code ends, by the code's SHA-256. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  issue(): string {
    const code = randomBytes(32).toString('base64url');
    this.#ends.set(sha256Hex(code), this.#clock.monotonicMs() + LINK_MS);
    return code;
  }

  /** True for an issued code, once. */
  redeem(code: string): boolean {
    const hash = sha256Hex(code);
    const endsAtMs = this.#ends.get(hash);
    this.#ends.delete(hash);
    return endsAtMs !== undefined && this.#clock.monotonicMs() < endsAtMs;
  }
}

/** Returns the address of the console behind its origin, with a one-time code. */
export function consoleLinkOf(links: SignInLinks): string {
  return `/console/#link=${links.issue()}`;
}
