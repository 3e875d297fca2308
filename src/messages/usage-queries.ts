import type { Queryable } from '../database/database.ts';
import type { PlanUsage } from './plan-allowance.ts';

/** First day of the billing month (UTC) `epochMs` lies in, as PostgreSQL reads a date. */
export function billingMonth(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/**
 * Locks the month's acceptance counters of these organizations, in order, and reads how much each has used. For plans with a
 * limit: while the lock is held nobody else accepts for them, so what is counted here is still true when the batch commits. An
 * organization without one is not to be locked: whoever accepts for it claims its idempotency keys before its counters, and two
 * batches with one key would wait for each other.
 */
export async function lockUsage(
  tx: Queryable,
  organizationIds: string[],
  nowMs: number,
): Promise<Map<string, PlanUsage>> {
  const distinct = [...new Set(organizationIds)].sort();
  await tx.query({
    name: 'usage_lock_accepted',
    text: `
      INSERT INTO usage_counter (organization_id, month, metric, value)
      SELECT id, $2::date, 'accepted', 0 FROM unnest($1::uuid[]) AS o(id) ORDER BY id
      ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = usage_counter.value`,
    values: [distinct, billingMonth(nowMs)],
  });
  // By a statement of its own: one that has waited for a lock still sees what there was before it waited.
  return await readUsage(tx, distinct, nowMs);
}

/** What each of these organizations has used this billing month, without locking anything. */
export async function readUsage(
  db: Queryable,
  organizationIds: string[],
  nowMs: number,
): Promise<Map<string, PlanUsage>> {
  const rows = await db.query<{ organization_id: string; accepted: number; spent_micros: number }>({
    name: 'usage_read_for_plan',
    text: `
      SELECT o.id AS organization_id,
        coalesce((
          SELECT value FROM usage_counter WHERE organization_id = o.id AND month = $2::date AND metric = 'accepted'
        ), 0) AS accepted,
        coalesce((
          SELECT value FROM usage_counter WHERE organization_id = o.id AND month = $2::date AND metric = 'spent_micros'
        ), 0) AS spent_micros
      FROM unnest($1::uuid[]) AS o(id)`,
    values: [organizationIds, billingMonth(nowMs)],
  });
  return new Map(rows.map((row) => [row.organization_id, { accepted: row.accepted, spentMicros: row.spent_micros }]));
}
