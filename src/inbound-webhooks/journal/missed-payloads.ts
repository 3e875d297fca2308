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

/** Within a second every node knows the account; the other is for what was looked up before, and is not committed yet. */
const KNOWN_MS = 2_000;
const LOOKED_AT_ONCE_MAX = 1_000;

/**
 * What was told of business accounts before it was known whose they are: applied again once it is, in the background, as by a replay
 * of the journal, in which nothing is doubled. Nothing notes that it is to be done: where the process ends within these seconds, or
 * the database fails in them, it takes a replay by the operator. Dispose it with `stop()`.
 */
export class MissedPayloads {
  readonly #deps: MissedDeps;
  readonly #chores: Chores;

  constructor(deps: MissedDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /**
   * Has what names an account applied again that was journaled after a snapshot (`takeSnapshot`). The account has just become the
   * organization's, and had been nobody's since the snapshot: what came before that is not theirs.
   */
  applySoon(waba: Pick<Waba, 'organizationId' | 'wabaId'>, since: string): void {
    this.#chores.once(KNOWN_MS, async () => {
      try {
        await this.#apply(waba, since);
      } catch (error) {
        const { organizationId, wabaId } = waba;
        this.#deps.log.warn(
          { err: error, organizationId, wabaId },
          'what was told of a business account while it was being connected was not applied',
        );
      }
    });
  }

  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #apply({ organizationId, wabaId }: Pick<Waba, 'organizationId' | 'wabaId'>, since: string): Promise<void> {
    const { accounts, db } = this.#deps;
    // Disconnected meanwhile, it may be the next one's already.
    if ((await accounts.findWaba(organizationId, wabaId)) === undefined) return;
    let place: JournalPosition | undefined = { xid: '0', id: 0 };
    while (place !== undefined) place = await markTold(db, wabaId, since, place, LOOKED_AT_ONCE_MAX);
  }
}
