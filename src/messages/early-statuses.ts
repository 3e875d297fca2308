import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import { applyEarlyStatuses } from './record-statuses.ts';

export interface EarlyStatusesDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

/** A send is recorded within this time of the status that overtook it, or only after a start, which looks at all of them. */
const RECENT_MS = 10 * 60 * 1000;

/** Statuses that overtook their own sends, and wait until those are recorded. */
export class EarlyStatuses {
  readonly #deps: EarlyStatusesDeps;

  constructor(deps: EarlyStatusesDeps) {
    this.#deps = deps;
  }

  /** Applies those whose sends have been recorded, however long they have waited. */
  applyAll(): Promise<void> {
    return this.#applySince(0);
  }

  /** The same for those that have not waited long. */
  applyRecent(): Promise<void> {
    return this.#applySince(this.#deps.clock.now() - RECENT_MS);
  }

  /** Begins to apply recent ones, without anybody waiting for it. */
  applySoon(): void {
    this.applyRecent().catch((error) => this.#deps.log.warn({ err: error }, 'early statuses not applied'));
  }

  async #applySince(sinceMs: number): Promise<void> {
    while ((await applyEarlyStatuses(this.#deps.db, sinceMs)) > 0) {
      // until none is left
    }
  }
}
