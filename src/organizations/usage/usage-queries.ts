import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import { CHARGED } from './charges.ts';
import { dayOfSlot, metricOfDay } from './usage-day-queries.ts';
import { COUNTERS, type Metric, SLOT_SECONDS } from './usage-metrics.ts';

/** Slots after the one in which a transaction began, until it has surely ended. */
const SLOTS_LATE_MAX = 2;
const CURRENT_SLOT = `floor(extract(epoch FROM now()) / ${SLOT_SECONDS})::bigint`;

/** The counters whose sums over all organizations are kept by slot. */
const SHOWN = `'${COUNTERS.accepted}', '${COUNTERS.sent}', '${COUNTERS.delivered}', '${COUNTERS.failed}'`;
/** Slots whose sums are kept: two hours. */
const TRAFFIC_SLOTS = 240;

/** First day of the billing month (UTC) that contains `epochMs`, as a date for PostgreSQL. */
export function billingMonth(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/** Returns the billing month of a `timestamptz` column, as SQL. */
export function billingMonthSql(column: string): string {
  return `date_trunc('month', ${column} AT TIME ZONE 'UTC')::date`;
}

/**
 * Returns a part of a statement that adds the result of `amounts` to the ledger: rows of `organization_id`, `month`, `metric`, `amount`
 * (see `metricRows`).
 * Counters are locked in the order of their keys; without that, two statements could deadlock.
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

/** An amount to add to the ledger. */
export interface UsageAmount {
  organizationId: string;
  /** First day of the billing month. */
  month: string;
  metric: Metric;
  amount: number;
}

const AMOUNTS = arrayTable<UsageAmount>()({
  organization_id: ['uuid', (item) => item.organizationId],
  month: ['date', (item) => item.month],
  metric: ['text', (item) => item.metric],
  amount: ['bigint', (item) => item.amount],
});

/** Adds amounts to the ledger. After it, `tx` must not lock anything that other transactions lock before the ledger: deadlock. */
export async function countUsage(tx: Queryable, amounts: readonly UsageAmount[]): Promise<void> {
  await tx.query({
    name: 'usage_count',
    text: addUsage(`SELECT * FROM ${AMOUNTS.from('i')}`),
    values: AMOUNTS.values(amounts),
  });
}

/**
 * Adds ended slots from `fromSlot` on to their counters, and returns the slot to begin with next time. Totals do not change. A slot is
 * left alone for one slot more, because transactions that began in it are mostly still writing at its end. Also keeps the sums of all
 * organizations of the last hours, and those of each organization by day.
 */
export async function closeUsageSlots(db: Queryable, fromSlot: number): Promise<number> {
  const rows = await db.query<{ next: number }>({
    name: 'usage_close_slots',
    text: `
      WITH past AS (
        DELETE FROM usage_recent WHERE slot >= $1 AND slot < ${CURRENT_SLOT} - 1
        RETURNING organization_id, month, metric, slot, value
      ),
      shown AS (
        INSERT INTO traffic (slot, metric, value)
        SELECT slot, metric, sum(value) FROM past WHERE metric IN (${SHOWN}) GROUP BY slot, metric ORDER BY slot, metric
        ON CONFLICT (slot, metric) DO UPDATE SET value = traffic.value + excluded.value
      ),
      hidden AS (DELETE FROM traffic WHERE slot < ${CURRENT_SLOT} - ${TRAFFIC_SLOTS}),
      days AS (
        INSERT INTO usage_day (organization_id, day, metric, value)
        SELECT organization_id, day, metric, sum(value)
        FROM (SELECT organization_id, ${dayOfSlot('slot')} AS day, ${metricOfDay('metric')} AS metric, value FROM past) d
        WHERE metric IS NOT NULL
        GROUP BY organization_id, day, metric
        ORDER BY organization_id, day, metric
        ON CONFLICT (organization_id, day, metric) DO UPDATE SET value = usage_day.value + excluded.value
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

/** Usage of a month's plan: messages, and millionths of the budget's currency unit. */
export interface PlanUsage {
  accepted: number;
  spentMicros: number;
}

/**
 * Locks the month's acceptance counters of these organizations, in order, and reads their usage. For plans with a limit: while the lock
 * is held no other transaction accepts messages for them, so the counts are still true when the batch commits. Do not lock organizations
 * without a limit: their batches claim idempotency keys before counters, and two batches with the same key would deadlock.
 */
export async function lockUsage(
  tx: Queryable,
  organizationIds: string[],
  nowMs: number,
): Promise<Map<string, PlanUsage>> {
  const distinct = [...new Set(organizationIds)].sort();
  await tx.query({
    name: 'usage_lock_accepted',
    // `WHERE false` locks existing rows without writing them.
    text: `
      INSERT INTO usage_counter AS c (organization_id, month, metric, value)
      SELECT id, $2::date, '${COUNTERS.accepted}', 0 FROM unnest($1::uuid[]) AS o(id) ORDER BY id
      ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = c.value WHERE false`,
    values: [distinct, billingMonth(nowMs)],
  });
  // In a statement of its own: a statement that waits for a lock still sees the data from before the wait.
  return await readUsage(tx, distinct, nowMs);
}

/** Reads the usage of each organization in this billing month, without locks. */
export async function readUsage(
  db: Queryable,
  organizationIds: string[],
  nowMs: number,
): Promise<Map<string, PlanUsage>> {
  const used = (metric: Metric) => `(
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
    // Reads slots from the end of the counters on, so that versions of earlier slots kept by an old snapshot are not scanned. The
    // counters end in the future if PostgreSQL's clock was set back.
    text: `
      SELECT o.id AS organization_id, ${used(COUNTERS.accepted)} AS accepted, ${used(COUNTERS.spentMicros)} AS spent_micros
      FROM unnest($1::uuid[]) AS o(id)`,
    values: [organizationIds, billingMonth(nowMs)],
  });
  return new Map(rows.map((row) => [row.organization_id, { accepted: row.accepted, spentMicros: row.spent_micros }]));
}

/** Returns the service messages of a number that the platform has reported as free in the calendar month of `nowMs`. */
export async function countFreeService(
  db: Queryable,
  organizationId: string,
  numberId: number,
  nowMs: number,
): Promise<number> {
  const rows = await db.query<{ messages: number }>({
    name: 'usage_count_free_service',
    text: `
      SELECT coalesce(sum(value), 0)::bigint AS messages
      FROM (
        SELECT metric, value FROM usage_counter WHERE organization_id = $1 AND month = $2::date
        UNION ALL
        SELECT metric, value FROM usage_recent WHERE organization_id = $1 AND month = $2::date
      ) counted
      WHERE starts_with(metric, $3)`,
    values: [organizationId, billingMonth(nowMs), `${CHARGED}|${numberId}|free_customer_service|service|`],
  });
  return firstRow(rows).messages;
}

/** Returns the platform's ids of an organization's numbers, connected or not, by their small integers. */
export async function findPhoneNumberIds(
  db: Queryable,
  organizationId: string,
  numberIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.query<{ numberId: number; phoneNumberId: string }>({
    text: `
      SELECT number_id AS "numberId", coalesce(phone_number_id, former_phone_number_id) AS "phoneNumberId"
      FROM sending_number WHERE organization_id = $1 AND number_id = ANY ($2::int[])`,
    values: [organizationId, numberIds],
  });
  return new Map(rows.map((row) => [row.numberId, row.phoneNumberId]));
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

/** Messages of all organizations in one minute. */
export interface MinuteOfTraffic {
  /** Start of the minute, epoch ms. */
  atMs: number;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
}

/** Returns the minutes with messages since `fromMs` (epoch ms), at most two hours back, oldest first. The last minutes still grow. */
export async function listTraffic(db: Queryable, fromMs: number): Promise<MinuteOfTraffic[]> {
  return db.query<MinuteOfTraffic & Record<string, unknown>>({
    name: 'traffic_list',
    text: `
      SELECT slot / ${60 / SLOT_SECONDS} * 60000::float8 AS "atMs",
             ${(['accepted', 'sent', 'delivered', 'failed'] as const)
               .map((name) => `coalesce(sum(value) FILTER (WHERE metric = '${COUNTERS[name]}'), 0)::float8 AS ${name}`)
               .join(', ')}
      FROM (
        SELECT slot, metric, value FROM traffic WHERE slot >= $1
        UNION ALL
        SELECT slot, metric, value FROM usage_recent WHERE slot >= $1 AND metric IN (${SHOWN})
      ) s
      GROUP BY slot / ${60 / SLOT_SECONDS} ORDER BY 1`,
    values: [Math.floor(fromMs / 1000 / SLOT_SECONDS)],
  });
}
