import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import { publishChange, publishChanges } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { StoredToken } from '../keys/token.ts';
import { type TokenOpener, tryOpenToken } from '../keys/token.ts';
import { listWabas } from '../list-queries.ts';
import { findSealedTokens } from '../queries.ts';
import { deleteWaba, lockNumbers, lockWabaToEnd, releaseNumbers } from '../release-queries.ts';
import { isUpstreamId, wabaNotFound } from '../waba.ts';

/** Deletes the templates of a WABA, in the caller's transaction, and tells every node. */
type ForgetTemplates = (tx: Queryable, organizationId: string, wabaId: string) => Promise<void>;

export interface DisconnectDeps extends TokenOpener {
  db: Database;
  clock: Clock;
  upstream: Pick<Upstream, 'unsubscribeApp'>;
  forgetTemplates: ForgetTemplates;
}

/** So few that they do not take all connections, to the platform or to the database. */
const AT_ONCE_MAX = 4;

/**
 * Disconnects a WABA from its organization, on every node within a second: its numbers take no sends and send nothing more, its
 * templates and its token are gone. What waits is ended by whoever works its numbers. Connected again, by whomever, it has new ones.
 *
 * Its webhooks are unsubscribed from before, where the platform answers in time: afterwards somebody else may have connected it, and
 * subscribed to them. Raises VALIDATION_ERROR (no such id can be), NOT_FOUND.
 */
export async function disconnectWaba(deps: DisconnectDeps, wabaId: string): Promise<void> {
  if (!isUpstreamId(wabaId)) throw invalid('This cannot be the id of a business account.');
  const stored = (await findSealedTokens(deps.db, [wabaId])).get(wabaId);
  if (stored === undefined || !(await disconnect(deps, wabaId, stored))) throw wabaNotFound();
}

/** Disconnects every WABA an organization has. */
export async function disconnectWabasOf(deps: DisconnectDeps, organizationId: string): Promise<void> {
  const wabas = (await listWabas(deps.db, organizationId)).map(({ wabaId }) => wabaId);
  for (const some of inSets(wabas, AT_ONCE_MAX)) {
    const stored = await findSealedTokens(deps.db, some);
    // One that is not there any more, or is another's, has been disconnected by somebody else.
    const own = [...stored].filter(([, token]) => token.organizationId === organizationId);
    await Promise.all(own.map(([wabaId, token]) => disconnect(deps, wabaId, token)));
  }
}

/** False when the organization that had this token has the WABA no more. */
async function disconnect(deps: DisconnectDeps, wabaId: string, stored: StoredToken): Promise<boolean> {
  const { organizationId } = stored;
  const token = tryOpenToken(deps, wabaId, stored);
  // Whatever it answers, the log of calls has it: the account may be gone by now, or its token worth nothing.
  if (token !== undefined) await deps.upstream.unsubscribeApp(wabaId, token);
  return deps.db.transaction(async (tx) => {
    if (!(await lockWabaToEnd(tx, organizationId, wabaId))) return false;
    await lockNumbers(tx, [wabaId]);
    const released = await releaseNumbers(tx, organizationId, wabaId, new Date(deps.clock.now()));
    await deps.forgetTemplates(tx, organizationId, wabaId);
    await deleteWaba(tx, organizationId, wabaId);
    await publishChange(tx, 'waba', wabaId);
    await publishChanges(tx, 'number', released);
    return true;
  });
}
