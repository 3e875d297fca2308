import { publishChange } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { checkOrganizationId, organizationNotFound } from '../organization-not-found.ts';
import { lockOrganization } from '../queries.ts';
import type { Rate } from './rate.ts';
import { replaceRates } from './rate-queries.ts';

/**
 * Stores an organization's rate card; it replaces the card of the same day. An empty card deletes that day's. Takes effect on every node
 * within a second, for messages accepted from then on. Raises NOT_FOUND.
 */
export async function putRates(
  deps: { db: Database },
  organizationId: string,
  validFrom: string,
  rates: readonly Rate[],
): Promise<void> {
  checkOrganizationId(organizationId);
  await deps.db.transaction(async (tx) => {
    if (!(await lockOrganization(tx, organizationId))) throw organizationNotFound();
    await replaceRates(tx, organizationId, validFrom, rates);
    await publishChange(tx, 'plan', organizationId.toLowerCase());
  });
}
