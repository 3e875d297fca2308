import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';

/** A slot of the ledger, in seconds: what is counted within one goes into rows of its own, and into the counters when it is over. */
const SLOT_SECONDS = 30;
/** So many slots after its own, which its beginning tells, a transaction has surely ended. */
const SLOTS_LATE_MAX = 2;
const CURRENT_SLOT = `floor(extract(epoch FROM now()) / ${SLOT_SECONDS})::bigint`;

/** First day of the billing month (UTC) `epochMs` lies in, as PostgreSQL reads a date. */
export function billingMonth(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/**
 * A part of a statement that adds to the ledger what `amounts` selects: rows of `organization_id`, `month`, `metric` and `amount`.
 * Counters are locked in the order of their keys, so that two statements cannot wait for each other.
 */
export function addUsage(amounts: string): string {
  return `
    INSERT INTO usage_recent (organization_id, month, metric, slot, value)
    SELECT organization_id, month, metric, ${CURRENT_SLOT}, sum(amount)
    FROM (${amounts}) AS a
    WHERE amount <> 0
    GROUP BY organization_id, month, metric
    ORDER BY organization_id, month, metric
    ON CONFLICT (organization_id, month, metric, slot) DO UPDATE SET value = usage_recent.value + excluded.value`;
}

/** An amount to be added to the ledger. */
export interface UsageAmount {
  organizationId: string;
  /** First day of the billing month. */
  month: string;
  metric: string;
  amount: number;
}

/** Adds these to the ledger. Nothing may be locked behind it in its transaction that somebody else locks before the ledger. */
export async function countUsage(tx: Queryable, amounts: readonly UsageAmount[]): Promise<void> {
  await tx.query({
    name: 'usage_count',
    text: addUsage(`
      SELECT * FROM unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[]) AS i(organization_id, month, metric, amount)`),
    values: [
      amounts.map((item) => item.organizationId),
      amounts.map((item) => item.month),
      amounts.map((item) => item.metric),
      amounts.map((item) => item.amount),
    ],
  });
}

/**
 * Adds slots that are over to their counters, from `fromSlot` on; answers where to begin the next time. What has been counted is the
 * same before and after. A slot is left alone for as long as another: what began in it is mostly still being written at its end.
 */
export async function closeUsageSlots(db: Queryable, fromSlot: number): Promise<number> {
  const rows = await db.query<{ next: number }>({
    name: 'usage_close_slots',
    text: `
      WITH past AS (
        DELETE FROM usage_recent WHERE slot >= $1 AND slot < ${CURRENT_SLOT} - 1
        RETURNING organization_id, month, metric, slot, value
      ),
      counted AS (
        INSERT INTO usage_counter (organization_id, month, metric, value, last_slot)
        SELECT organization_id, month, metric, sum(value), max(slot) FROM past
        GROUP BY organization_id, month, metric
        ORDER BY organization_id, month, metric
        ON CONFLICT (organization_id, month, metric) DO UPDATE
          SET value = usage_counter.value + excluded.value, last_slot = greatest(usage_counter.last_slot, excluded.last_slot)
      )
      SELECT ${CURRENT_SLOT} - 1 - ${SLOTS_LATE_MAX} AS next`,
    values: [fromSlot],
  });
  return firstRow(rows).next;
}

/** What an organization has used of a month's plan: messages, and millionths of the budget's currency unit. */
export interface PlanUsage {
  accepted: number;
  spentMicros: number;
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
    // What is there already is locked and not written.
    text: `
      INSERT INTO usage_counter AS c (organization_id, month, metric, value)
      SELECT id, $2::date, 'accepted', 0 FROM unnest($1::uuid[]) AS o(id) ORDER BY id
      ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = c.value WHERE false`,
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
  const used = (metric: string) => `(
    SELECT coalesce(sum(value), 0)::bigint FROM (
      SELECT value FROM usage_counter WHERE organization_id = o.id AND month = $2::date AND metric = '${metric}'
      UNION ALL
      SELECT value FROM usage_recent
      WHERE organization_id = o.id AND month = $2::date AND metric = '${metric}' AND slot > least(coalesce((
        SELECT last_slot FROM usage_counter WHERE organization_id = o.id AND month = $2::date AND metric = '${metric}'
      ), 0), ${CURRENT_SLOT} - ${SLOTS_LATE_MAX}) - ${SLOTS_LATE_MAX}
    ) counted
  )`;
  const rows = await db.query<{ organization_id: string; accepted: number; spent_micros: number }>({
    name: 'usage_read_for_plan',
    // From where the counters end: what an old snapshot keeps of the slots before need not be gone through. They end later than now
    // where PostgreSQL's clock was set back since.
    text: `
      SELECT o.id AS organization_id, ${used('accepted')} AS accepted, ${used('spent_micros')} AS spent_micros
      FROM unnest($1::uuid[]) AS o(id)`,
    values: [organizationIds, billingMonth(nowMs)],
  });
  return new Map(rows.map((row) => [row.organization_id, { accepted: row.accepted, spentMicros: row.spent_micros }]));
}

/** Every metric of the organization's ledger for a billing month, `YYYY-MM`. */
export async function listUsage(
  db: Queryable,
  organizationId: string,
  month: string,
): Promise<{ metric: string; value: number }[]> {
  return await db.query({
    text: `
      SELECT metric, sum(value)::bigint AS value
      FROM (
        SELECT metric, value FROM usage_counter WHERE organization_id = $1 AND month = $2::date
        UNION ALL
        SELECT metric, value FROM usage_recent WHERE organization_id = $1 AND month = $2::date
      ) counted
      GROUP BY metric ORDER BY metric`,
    values: [organizationId, `${month}-01`],
  });
}
