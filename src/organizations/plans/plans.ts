import { createBoundedCache } from '../../core/limits/bounded-cache.ts';
import { loadTogether } from '../../database/batching/load-together.ts';
import type { Changes } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import { findPlans } from './plan-queries.ts';
import { type Plan, UNLIMITED_PLAN } from './plan-rules.ts';

/** Caches the organizations' plans. */
export interface Plans {
  /** An organization's plan, at once if cached; the unlimited plan if it has none. Changes take effect within a second. */
  get(organizationId: string): Plan | Promise<Plan>;
}

const PLANS_MAX = 20_000;

export function createPlans(deps: { db: Queryable; changes: Changes }): Plans {
  const load = loadTogether((organizationIds) => findPlans(deps.db, organizationIds));
  const plans = createBoundedCache<string, Plan>({
    max: PLANS_MAX,
    load: async (organizationId) => (await load(organizationId)) ?? UNLIMITED_PLAN,
  });
  deps.changes.on('plan', plans.invalidate, plans.clear);
  return { get: plans.get };
}
