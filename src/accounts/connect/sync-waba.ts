import { clearParkedByRefusals } from '../follow/parking-queries.ts';
import { openToken } from '../keys/token.ts';
import { findSealedTokens, listNumbersOfWaba, touchSynced } from '../queries.ts';
import { isUpstreamId, wabaNotFound } from '../waba.ts';
import type { ConnectDeps, ConnectedWaba } from './connect-waba.ts';
import { readReach } from './reach-queries.ts';
import { readWaba } from './read-waba.ts';
import { storeReading } from './store-reading.ts';
import { logReach } from './webhook-reach.ts';

/**
 * Reads a connected WABA again: numbers and templates match the upstream afterwards. Unparks everything that refusals have parked, because
 * the cause may have been removed without a new token. Raises NOT_FOUND, PROVIDER_REJECTED with the upstream's words, UNAVAILABLE, and
 * CONFLICT if a number belongs to another organization and has not moved.
 */
export async function syncWaba(deps: ConnectDeps, wabaId: string): Promise<ConnectedWaba> {
  const { db } = deps;
  const credential = isUpstreamId(wabaId) ? (await findSealedTokens(db, [wabaId])).get(wabaId) : undefined;
  if (credential === undefined) throw wabaNotFound();
  const { organizationId, version } = credential;
  const token = openToken(deps, wabaId, credential);
  const reading = await readWaba(deps, organizationId, wabaId, token);
  const { numbers, before, after } = await db.transaction(async (tx) => {
    // If the WABA was connected or read again meanwhile, that reading is newer.
    const current = await touchSynced(tx, wabaId, version, reading.begunAt);
    const before = await readReach(tx, organizationId, wabaId);
    if (current) {
      await storeReading(deps, tx, organizationId, wabaId, reading);
      await clearParkedByRefusals(tx, organizationId, wabaId);
    }
    const numbers = await listNumbersOfWaba(tx, organizationId, wabaId);
    return { numbers, before, after: await readReach(tx, organizationId, wabaId) };
  });
  logReach(deps.log, { organizationId, wabaId }, before, after);
  return {
    wabaId,
    appId: credential.appId,
    numbers,
    webhooksSubscribed: after.isSubscribed,
    templates: reading.templates.length,
  };
}
