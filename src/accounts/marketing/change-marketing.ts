import type { Database } from '../../database/database.ts';
import type { MarketingMessages } from '../../organizations/index.ts';
import { publishWaba } from '../follow/park-account.ts';
import { isUpstreamId, wabaNotFound } from '../waba.ts';
import {
  findMarketingUse,
  type MarketingUse,
  storeForbidden,
  updateMarketingMessages,
  type WabaKey,
} from './marketing-queries.ts';

/** Changes an account's own use of `/marketing_messages`; null takes the organization's setting. Raises NOT_FOUND. */
export async function changeMarketing(
  deps: { db: Database },
  wabaId: string,
  setting: MarketingMessages | null,
): Promise<MarketingUse> {
  if (!isUpstreamId(wabaId)) throw wabaNotFound();
  return deps.db.transaction(async (tx) => {
    const organizationId = await updateMarketingMessages(tx, wabaId, setting);
    const use = await findMarketingUse(tx, wabaId);
    if (organizationId === undefined || use === undefined) throw wabaNotFound();
    await publishWaba(tx, { organizationId, wabaId });
    return use;
  });
}

/**
 * Records that the platform refuses an account's marketing templates at `/messages`, until the account is read again. A repeated call
 * changes nothing.
 */
export async function noteMarketingForbidden(deps: { db: Database }, waba: WabaKey): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await storeForbidden(tx, waba)) await publishWaba(tx, waba);
  });
}
