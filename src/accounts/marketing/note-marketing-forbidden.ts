import type { Database } from '../../database/database.ts';
import { publishWaba } from '../follow/park-account.ts';
import { storeForbidden, type WabaKey } from './marketing-queries.ts';

/**
 * Records that the platform refuses an account's marketing templates at `/messages`, until the account is read again. A repeated call
 * changes nothing.
 */
export async function noteMarketingForbidden(deps: { db: Database }, waba: WabaKey): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await storeForbidden(tx, waba)) await publishWaba(tx, waba);
  });
}
