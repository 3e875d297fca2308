import type { Logger } from 'pino';
import type { Accounts, Waba } from '../../accounts/index.ts';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { type JournalPosition, markTold } from '../queries.ts';

export interface MissedDeps {
  accounts: Pick<Accounts, 'findWaba'>;
  db: Queryable;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/**
 * Delay in ms before the search. Every node knows the account within one second; the other second covers payloads that were resolved
 * before and are not committed yet.
 */
const KNOWN_MS = 2_000;
const LOOKED_AT_ONCE_MAX = 1_000;

/**
 * Applies payloads again that named a business account before its owner was known. This happens in the background once the owner is
 * known, like a replay of the journal, so that nothing is doubled.
 * Pending work is not stored: if the process ends or the database fails within these seconds, the operator has to replay. Dispose it with
 * `stop()`.
 */
export class MissedPayloads {
  readonly #deps: MissedDeps;
  readonly #chores: Chores;

  constructor(deps: MissedDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /**
   * Schedules payloads to be applied again if they name an account and were journaled after a snapshot (`takeSnapshot`). The organization
   * has just connected the account, which had no owner since the snapshot; earlier payloads are not this organization's.
   */
  applySoon(waba: Pick<Waba, 'organizationId' | 'wabaId'>, since: string): void {
    this.#chores.once(KNOWN_MS, async () => {
      try {
        await this.#apply(waba, since);
      } catch (error) {
        const { organizationId, wabaId } = waba;
        this.#deps.log.warn(
          { err: error, organizationId, wabaId },
          'webhooks of a business account that was being connected were not applied; they need a replay',
        );
      }
    });
  }

  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #apply({ organizationId, wabaId }: Pick<Waba, 'organizationId' | 'wabaId'>, since: string): Promise<void> {
    const { accounts, db } = this.#deps;
    // If it was disconnected meanwhile, it may already belong to another organization.
    if ((await accounts.findWaba(organizationId, wabaId)) === undefined) return;
    let place: JournalPosition | undefined = { xid: '0', id: 0 };
    while (place !== undefined) place = await markTold(db, wabaId, since, place, LOOKED_AT_ONCE_MAX);
  }
}
