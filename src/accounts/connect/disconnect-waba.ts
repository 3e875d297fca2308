import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChange, publishChanges } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { StoredToken } from '../keys/token.ts';
import { type TokenOpener, tryOpenToken } from '../keys/token.ts';
import { listWabas } from '../list-queries.ts';
import { findSealedTokens } from '../queries.ts';
import { deleteWaba, lockNumbers, lockWabaToEnd, releaseNumbers } from '../release-queries.ts';
import { isUpstreamId, wabaNotFound } from '../waba.ts';

/** Deletes the templates of a WABA in the caller's transaction and notifies every node. */
type ForgetTemplates = (tx: Queryable, organizationId: string, wabaId: string) => Promise<void>;

export interface DisconnectDeps extends TokenOpener {
  db: Database;
  clock: Clock;
  upstream: Pick<Upstream, 'unsubscribeApp'>;
  forgetTemplates: ForgetTemplates;
}

/** Limits concurrency, so that connections to the platform and the database remain for other work. */
const AT_ONCE_MAX = 4;

/**
 * Disconnects a WABA from its organization, on every node within a second. Its numbers accept and send no messages; its templates and its
 * token are deleted. Waiting messages are ended by the node that holds the lease of their number. A later connect, by any organization,
 * creates new numbers.
 *
 * Webhooks are unsubscribed first, if the platform answers in time. Afterwards, another organization may have connected the WABA and
 * subscribed to them. Raises VALIDATION_ERROR (malformed id), NOT_FOUND.
 */
export async function disconnectWaba(deps: DisconnectDeps, wabaId: string): Promise<void> {
  if (!isUpstreamId(wabaId)) throw invalid('This cannot be the id of a business account.');
  const stored = (await findSealedTokens(deps.db, [wabaId])).get(wabaId);
  if (stored === undefined || !(await disconnect(deps, wabaId, stored))) throw wabaNotFound();
}

/** Disconnects every WABA of an organization. */
export async function disconnectWabasOf(deps: DisconnectDeps, organizationId: string): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = (await listWabas(deps.db, organizationId, after, AT_ONCE_MAX)).map(({ wabaId }) => wabaId);
    const stored = await findSealedTokens(deps.db, page);
    // A missing WABA, or one that now belongs to another organization, has been disconnected meanwhile.
    const own = [...stored].filter(([, token]) => token.organizationId === organizationId);
    await Promise.all(own.map(([wabaId, token]) => disconnect(deps, wabaId, token)));
    if (page.length < AT_ONCE_MAX) return;
    after = page.at(-1);
  }
}

/** Returns false if the token's organization no longer has the WABA. */
async function disconnect(deps: DisconnectDeps, wabaId: string, stored: StoredToken): Promise<boolean> {
  const { organizationId } = stored;
  const token = tryOpenToken(deps, wabaId, stored);
  // The result is ignored, because the account may be deleted or its token invalid; the log of calls records it.
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
