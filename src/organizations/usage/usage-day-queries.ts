import type { Queryable } from '../../database/database.ts';
import { CHARGED, CHARGED_MICROS } from './charges.ts';
import { COUNTERS, SLOT_SECONDS } from './usage-metrics.ts';

const COUNTED = Object.values(COUNTERS)
  .map((name) => `'${name}'`)
  .join(', ');
/** Most days deleted at once: those of one organization and many metrics, or of many organizations. */
const DELETED_MAX = 50_000;

/** Returns the day (UTC) of a slot of the ledger, as SQL. */
export function dayOfSlot(slot: string): string {
  return `(to_timestamp(${slot} * ${SLOT_SECONDS}) AT TIME ZONE 'UTC')::date`;
}

/**
 * Returns the metric by day for a metric of the ledger, as SQL: the counters as they are, charges by category and country alone
 * (`charged|marketing|US`), and NULL for the rest. Without this, every key and template would have rows of its own each day.
 */
export function metricOfDay(metric: string): string {
  const part = (place: number) => `split_part(${metric}, '|', ${place})`;
  return `CASE
    WHEN ${metric} IN (${COUNTED}) THEN ${metric}
    WHEN ${part(1)} IN ('${CHARGED}', '${CHARGED_MICROS}') THEN ${part(1)} || '|' || ${part(4)} || '|' || ${part(5)}
  END`;
}

/** A sum of one day. */
export interface DaySum {
  /** `YYYY-MM-DD` */
  day: string;
  metric: string;
  value: number;
}

/** Returns the sums of an organization's days of a month, `YYYY-MM`. */
export async function listDays(db: Queryable, organizationId: string, month: string): Promise<DaySum[]> {
  return db.query<DaySum & Record<string, unknown>>({
    name: 'usage_list_days',
    text: `
      SELECT to_char(day, 'YYYY-MM-DD') AS day, metric, sum(value)::bigint AS value
      FROM (
        SELECT day, metric, value FROM usage_day
        WHERE organization_id = $1 AND day >= $2::date AND day < $2::date + interval '1 month'
        UNION ALL
        SELECT ${dayOfSlot('slot')}, ${metricOfDay('metric')}, value FROM usage_recent WHERE organization_id = $1
      ) counted
      WHERE metric IS NOT NULL AND day >= $2::date AND day < $2::date + interval '1 month'
      GROUP BY day, metric`,
    values: [organizationId, `${month}-01`],
  });
}

/** Deletes the days before a moment (epoch ms). */
export async function sweepUsageDays(db: Queryable, beforeMs: number): Promise<void> {
  await db.query({
    name: 'usage_day_delete_older',
    text: `
      DELETE FROM usage_day WHERE (organization_id, day, metric) IN (
        SELECT organization_id, day, metric FROM usage_day WHERE day < $1::date ORDER BY day LIMIT ${DELETED_MAX}
      )`,
    values: [new Date(beforeMs).toISOString().slice(0, 10)],
  });
}
