import type { Clock } from '../../core/time/clock.ts';
import { publishChange } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { checkOrganizationId, organizationNotFound } from '../organization-not-found.ts';
import { lockOrganization } from '../queries.ts';
import { findPlan, upsertPlan } from './plan-queries.ts';
import { changePlan, type Plan, type PlanChange, UNLIMITED_PLAN } from './plan-rules.ts';

/**
 * Sets an organization's plan or changes its current one: absent fields stay, `null` is unlimited. Takes effect on every node within a
 * second. Raises NOT_FOUND.
 */
export async function putPlan(
  deps: { db: Database; clock: Clock },
  organizationId: string,
  change: PlanChange,
): Promise<Plan> {
  checkOrganizationId(organizationId);
  return deps.db.transaction(async (tx) => {
    // Without the lock, two concurrent changes would lose each other's fields, or both insert a first plan.
    if (!(await lockOrganization(tx, organizationId))) throw organizationNotFound();
    const plan = changePlan((await findPlan(tx, organizationId)) ?? UNLIMITED_PLAN, change);
    await upsertPlan(tx, organizationId, plan, new Date(deps.clock.now()));
    await publishChange(tx, 'plan', organizationId.toLowerCase());
    return plan;
  });
}
