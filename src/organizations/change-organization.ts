import { publishChange, publishChanges } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { listKeyHashes } from './keys/key-queries.ts';
import { checkOrganizationId, organizationNotFound } from './organization-not-found.ts';
import { type Organization, type OrganizationChange, updateOrganization } from './queries.ts';

/** Changes an organization's name or settings; absent fields stay. Raises NOT_FOUND. */
export async function changeOrganization(
  deps: { db: Database },
  organizationId: string,
  change: OrganizationChange,
): Promise<Organization> {
  checkOrganizationId(organizationId);
  return deps.db.transaction(async (tx) => {
    const organization = await updateOrganization(tx, organizationId, change);
    if (organization === undefined) throw organizationNotFound();
    await publishChange(tx, 'organization', organization.id);
    if (change.cloudApiCredentials !== undefined) {
      await publishChanges(tx, 'api_key', await listKeyHashes(tx, organization.id));
    }
    return organization;
  });
}
