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

/** Of a status and its send that are recorded at the same time neither finds the other; both are durable after this, by any node's clock. */
const SLACK_MS = 10 * 60 * 1000;
const LOOKED_AT_ONCE_MAX = 5_000;
const FIRST_DIGEST = '00000000-0000-0000-0000-000000000000';

/** Statuses that overtook their own sends, and wait until those are recorded. */
export class EarlyStatuses {
  readonly #deps: EarlyStatusesDeps;
  /** Those received before have been looked at when their sends were surely recorded, if ever. Epoch milliseconds. */
  #sinceMs = 0;
  /** Some of those received before were to be applied since, and were not. */
  #hasFailed = false;

  constructor(deps: EarlyStatusesDeps) {
    this.#deps = deps;
  }

  /**
   * Applies those whose sends have been recorded: all there are at first and when `applySoon` has failed, otherwise those that came
   * since a while before the last time.
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

  /** Begins to apply those of these wamids, named by their digests, without anybody waiting for it. What fails is left to `apply`. */
  applySoon(wamidDigests: readonly string[]): void {
    const { db, clock, log } = this.#deps;
    applyEarlyStatuses(db, wamidDigests, clock.now()).catch((error) => {
      this.#hasFailed = true;
      log.warn({ err: error }, 'early statuses not applied');
    });
  }
}
