import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { type EarlyPage, type EarlyPlace, listRecordedEarly } from './early-status-queries.ts';
import { applyEarlyStatuses } from './record-statuses.ts';

export interface EarlyStatusesDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

/**
 * If a status and its send are recorded concurrently, neither transaction sees the other. After this delay both are committed despite clock
 * skew.
 */
const SLACK_MS = 10 * 60 * 1000;
const LOOKED_AT_ONCE_MAX = 5_000;
const FIRST_DIGEST = '00000000-0000-0000-0000-000000000000';

/** Applies statuses that arrived before their sends were recorded. */
export class EarlyStatuses {
  readonly #deps: EarlyStatusesDeps;
  /** Epoch milliseconds. Statuses received earlier were scanned after their sends must have been recorded, if ever. */
  #sinceMs = 0;
  /** True if `applySoon` failed for some statuses, which may be older than `#sinceMs`. */
  #hasFailed = false;

  constructor(deps: EarlyStatusesDeps) {
    this.#deps = deps;
  }

  /**
   * Applies the parked statuses whose sends have been recorded. The first call, and a call after `applySoon` failed, scans all of them.
   * Other calls scan those received since ten minutes before the previous call.
   */
  async apply(): Promise<void> {
    const { db, clock } = this.#deps;
    if (this.#hasFailed) this.#sinceMs = 0;
    this.#hasFailed = false;
    const sinceMs = clock.now() - SLACK_MS;
    let after: EarlyPlace | undefined = { receivedAtMs: this.#sinceMs, wamidDigest: FIRST_DIGEST };
    while (after !== undefined) {
      const { wamidDigests, next }: EarlyPage = await listRecordedEarly(db, after, LOOKED_AT_ONCE_MAX);
      if (wamidDigests.length > 0) await applyEarlyStatuses(db, wamidDigests, clock.now());
      after = next;
    }
    this.#sinceMs = sinceMs;
  }

  /** Starts to apply the parked statuses of these wamid digests in the background. Failures are left to `apply`. */
  applySoon(wamidDigests: readonly string[]): void {
    const { db, clock, log } = this.#deps;
    applyEarlyStatuses(db, wamidDigests, clock.now()).catch((error) => {
      this.#hasFailed = true;
      log.warn({ err: error }, 'early statuses not applied; the next scan retries them');
    });
  }
}
