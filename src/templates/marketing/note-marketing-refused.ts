import type { Database } from '../../database/database.ts';
import { publishTemplates } from '../queries.ts';
import { storeMarketingRefusal, type VersionName } from './marketing-queries.ts';

/**
 * Records that the platform refuses a template at `/marketing_messages`, until its category changes or all templates of the account are read
 * again. A repeated call changes nothing.
 */
export async function noteMarketingRefused(deps: { db: Database }, version: VersionName): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await storeMarketingRefusal(tx, version)) await publishTemplates(tx, [version]);
  });
}
