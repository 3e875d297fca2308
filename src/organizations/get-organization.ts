import type { Queryable } from '../database/database.ts';
import { checkOrganizationId, organizationNotFound } from './organization-not-found.ts';
import { findOrganizations, type Organization } from './queries.ts';

/** An organization as it is stored now. Raises NOT_FOUND. */
export async function getOrganization(deps: { db: Queryable }, organizationId: string): Promise<Organization> {
  checkOrganizationId(organizationId);
  // Whoever asks may spell the id otherwise.
  const [organization] = (await findOrganizations(deps.db, [organizationId])).values();
  if (organization === undefined) throw organizationNotFound();
  return organization;
}
