import { type Apps, refuseDeletedApp, storableApp } from '../apps/index.ts';
import type { Database } from '../database/database.ts';
import type { MarketingMessages } from '../organizations/index.ts';
import { publishWaba } from './follow/park-account.ts';
import { findMarketingUse, type MarketingUse, updateMarketingMessages } from './marketing/marketing-queries.ts';
import { findWabaById, updateWabaApp } from './queries.ts';
import { isUpstreamId, wabaNotFound } from './waba.ts';

/** Settings of an account; absent ones stay. */
interface WabaPatch {
  /** Its own use of `/marketing_messages`; null takes the organization's setting. */
  setting: MarketingMessages | null | undefined;
  /** The app that its token belongs to; null stands for the app of the environment. */
  appId: string | null | undefined;
}

/** Changes the settings of an account on every node within a second. Raises NOT_FOUND, VALIDATION_ERROR for an unknown app. */
export async function patchWaba(
  deps: { db: Database; apps: Pick<Apps, 'defaultAppId' | 'find'> },
  wabaId: string,
  { setting, appId }: WabaPatch,
): Promise<MarketingUse & { appId: string | null }> {
  if (!isUpstreamId(wabaId)) throw wabaNotFound();
  const stored = appId === undefined ? undefined : await storableApp(deps, appId);
  return deps.db.transaction(async (tx) => {
    if (setting !== undefined) await updateMarketingMessages(tx, wabaId, setting);
    if (stored !== undefined) await updateWabaApp(tx, wabaId, stored).catch(refuseDeletedApp);
    const [waba, use] = [await findWabaById(tx, wabaId), await findMarketingUse(tx, wabaId)];
    if (waba === undefined || use === undefined) throw wabaNotFound();
    await publishWaba(tx, waba);
    return { ...use, appId: waba.appId };
  });
}
