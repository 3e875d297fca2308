import type { Queryable } from '../../database/database.ts';
import type { Rate } from '../prices/rate.ts';
import { type Plan, UNLIMITED_PLAN } from './plan-rules.ts';

/** A plan as stored; without a name if only rates are. */
interface PlanRow extends Omit<Plan, 'name' | 'messageTypes' | 'templateCategories'> {
  organizationId: string;
  name: string | null;
  messageTypes: string[] | null;
  templateCategories: string[] | null;
}

/**
 * The own plans of these organizations, by organization id, with their rates. An organization without a plan has no limit, and is absent
 * unless it has rates.
 */
export async function findPlans(db: Queryable, organizationIds: readonly string[]): Promise<Map<string, Plan>> {
  const rows = await db.query<PlanRow & Record<string, unknown>>({
    name: 'plan_find',
    text: `
      SELECT o.id AS "organizationId", p.name, p.active, p.monthly_message_limit AS "monthlyMessageLimit",
        p.message_types AS "messageTypes", p.template_categories AS "templateCategories",
        p.monthly_budget_micros AS "monthlyBudgetMicros", p.requests_per_second AS "requestsPerSecond",
        p.key_requests_per_second AS "keyRequestsPerSecond", p.queue_max AS "queueMax", p.price_micros AS "priceMicros",
        p.free_service_messages AS "freeServiceMessages", coalesce(r.rates, '[]') AS rates
      FROM unnest($1::uuid[]) AS o(id)
      LEFT JOIN plan p ON p.organization_id = o.id
      LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object(
          'validFrom', valid_from::text, 'category', category, 'country', country, 'priceMicros', price_micros
        )) AS rates
        FROM rate WHERE organization_id = o.id
      ) r ON true
      WHERE p.organization_id IS NOT NULL OR r.rates IS NOT NULL`,
    values: [organizationIds],
  });
  return new Map(rows.map((row) => [row.organizationId, toPlan(row)]));
}

function toPlan({ organizationId: _, name, messageTypes, templateCategories, ...plan }: PlanRow): Plan {
  const rates: Rate[] = plan.rates.map((rate) => ({ ...rate }));
  if (name === null) return { ...UNLIMITED_PLAN, rates };
  return { ...plan, rates, name, messageTypes: toSet(messageTypes), templateCategories: toSet(templateCategories) };
}

/** The organization's own plan; undefined if it has none, which means no limit. */
export async function findPlan(db: Queryable, organizationId: string): Promise<Plan | undefined> {
  const [plan] = (await findPlans(db, [organizationId])).values();
  return plan;
}

/** Stores the organization's plan, replacing its current one. */
export async function upsertPlan(tx: Queryable, organizationId: string, plan: Plan, now: Date): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO plan (organization_id, name, active, monthly_message_limit, message_types, template_categories,
        monthly_budget_micros, price_micros, updated_at, requests_per_second, key_requests_per_second, queue_max,
        free_service_messages)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      ON CONFLICT (organization_id) DO UPDATE
      SET name = excluded.name, active = excluded.active, monthly_message_limit = excluded.monthly_message_limit,
        message_types = excluded.message_types, template_categories = excluded.template_categories,
        monthly_budget_micros = excluded.monthly_budget_micros, price_micros = excluded.price_micros,
        updated_at = excluded.updated_at, requests_per_second = excluded.requests_per_second,
        key_requests_per_second = excluded.key_requests_per_second, queue_max = excluded.queue_max,
        free_service_messages = excluded.free_service_messages`,
    values: [
      organizationId,
      plan.name,
      plan.active,
      plan.monthlyMessageLimit,
      plan.messageTypes && [...plan.messageTypes],
      plan.templateCategories && [...plan.templateCategories],
      plan.monthlyBudgetMicros,
      JSON.stringify(plan.priceMicros),
      now,
      plan.requestsPerSecond,
      plan.keyRequestsPerSecond,
      plan.queueMax,
      plan.freeServiceMessages,
    ],
  });
}

function toSet(values: string[] | null): ReadonlySet<string> | null {
  return values && new Set(values);
}
