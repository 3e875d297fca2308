import type { Queryable } from '../database/database.ts';

/** First day of the billing month (UTC) `epochMs` lies in, as PostgreSQL reads a date. */
export function billingMonth(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/**
 * Locks the month's acceptance counters of these organizations and reads how much each has used. For plans with a limit: while
 * the lock is held nobody else accepts for them, so what is counted here is still true when the batch commits. Every
 * organization of the batch is locked, in order, or two batches could wait for each other.
 */
export async function lockUsage(
  tx: Queryable,
  organizationIds: string[],
  nowMs: number,
): Promise<Map<string, { accepted: number; spentMicros: number }>> {
  const rows = await tx.query<{ organization_id: string; accepted: number; spent_micros: number }>({
    name: 'usage_lock_accepted',
    text: `
      WITH locked AS (
        INSERT INTO usage_counter (organization_id, month, metric, value)
        SELECT id, $2::date, 'accepted', 0 FROM unnest($1::uuid[]) AS o(id) ORDER BY id
        ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = usage_counter.value
        RETURNING organization_id, value
      )
      SELECT l.organization_id, l.value AS accepted, coalesce((
        SELECT s.value FROM usage_counter s
        WHERE s.organization_id = l.organization_id AND s.month = $2::date AND s.metric = 'spent_micros'
      ), 0) AS spent_micros
      FROM locked l`,
    values: [[...new Set(organizationIds)].sort(), billingMonth(nowMs)],
  });
  return new Map(rows.map((row) => [row.organization_id, { accepted: row.accepted, spentMicros: row.spent_micros }]));
}

/** What an organization has used this billing month, without locking anything. */
export async function readUsage(
  db: Queryable,
  organizationId: string,
  nowMs: number,
): Promise<{ accepted: number; spentMicros: number }> {
  const rows = await db.query<{ metric: string; value: number }>({
    name: 'usage_read_for_plan',
    text: `SELECT metric, value FROM usage_counter
           WHERE organization_id = $1 AND month = $2::date AND metric IN ('accepted', 'spent_micros')`,
    values: [organizationId, billingMonth(nowMs)],
  });
  const value = (metric: string) => rows.find((row) => row.metric === metric)?.value ?? 0;
  return { accepted: value('accepted'), spentMicros: value('spent_micros') };
}
