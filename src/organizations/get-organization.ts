import type { Queryable } from '../database/database.ts';
import { checkOrganizationId, organizationNotFound } from './organization-not-found.ts';
import { findOrganization, type Organization } from './queries.ts';

/** An organization as it is stored now. Raises NOT_FOUND. */
export async function getOrganization(deps: { db: Queryable }, organizationId: string): Promise<Organization> {
  checkOrganizationId(organizationId);
  const organization = await findOrganization(deps.db, organizationId);
  if (organization === undefined) throw organizationNotFound();
  return organization;
}
