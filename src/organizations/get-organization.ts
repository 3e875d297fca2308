import type { Queryable } from '../database/database.ts';
import { checkOrganizationId, organizationNotFound } from './organization-not-found.ts';
import { findOrganizations, type Organization } from './queries.ts';

/** Reads an organization as stored now. Raises NOT_FOUND. */
export async function getOrganization(deps: { db: Queryable }, organizationId: string): Promise<Organization> {
  checkOrganizationId(organizationId);
  // Takes the only value: the caller may spell the id in other letter case than the map's key.
  const [organization] = (await findOrganizations(deps.db, [organizationId])).values();
  if (organization === undefined) throw organizationNotFound();
  return organization;
}
