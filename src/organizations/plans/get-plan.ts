import type { Queryable } from '../../database/database.ts';
import { getOrganization } from '../get-organization.ts';
import { findPlan } from './plan-queries.ts';
import { type Plan, UNLIMITED_PLAN } from './plan-rules.ts';

/** Reads an organization's plan as stored now; the unlimited plan if it has none. Raises NOT_FOUND. */
export async function getPlan(deps: { db: Queryable }, organizationId: string): Promise<Plan> {
  const organization = await getOrganization(deps, organizationId);
  return (await findPlan(deps.db, organization.id)) ?? UNLIMITED_PLAN;
}
