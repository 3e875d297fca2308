import { upstreamPaceOf } from '../../accounts/index.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import { keyNumberSql } from '../scheduler/index.ts';

export interface QueuedNumber {
  organizationId: string;
  phoneNumberId: string;
  numberId: number;
  /** `null` while the number follows the platform's pace. */
  ownPace: number | null;
  upstreamPace: number;
  paused: boolean;
  /** See `SendingNumber`. */
  released: boolean;
  parkedReason: string | null;
  /** `null` while it is parked until the tenant acts. */
  parkedUntil: Date | null;
  oldestWaitSeconds: number;
  flows: { flowId: number; apiKeyId: string | null; queued: number; oldestWaitSeconds: number }[];
}

/**
 * Returns exact counts of queued messages per number and flow: for operators, not for loops. Counts from the index alone, in its order; the
 * oldest message is the head of its flow. Without this, the count reads almost every page of the table once for each number.
 */
export async function countQueued(
  db: Queryable,
  filter: { organizationId: string | undefined; phoneNumberId: string | undefined },
): Promise<QueuedNumber[]> {
  const rows = await db.query<{
    organization_id: string;
    phone_number_id: string;
    number_id: number;
    own_pace: number | null;
    throughput_level: string | null;
    is_on_biz_app: boolean;
    paused: boolean;
    released: boolean;
    parked_reason: string | null;
    parked_until: Date | null;
    flow_id: number;
    api_key_id: string | null;
    queued: number;
    oldest_wait_seconds: number;
  }>({
    text: `
      SELECT n.organization_id, coalesce(n.phone_number_id, n.former_phone_number_id) AS phone_number_id, n.number_id,
             n.messages_per_second AS own_pace, n.throughput_level, n.is_on_biz_app, n.paused, n.released_at IS NOT NULL AS released,
             coalesce(n.parked_code || ': ' || n.parked_reason, w.parked_code || ': ' || w.parked_reason) AS parked_reason,
             CASE WHEN n.parked_code IS NULL THEN w.parked_until ELSE n.parked_until END AS parked_until,
             q.flow_id, k.id AS api_key_id, q.queued, extract(epoch FROM now() - head.oldest)::float8 AS oldest_wait_seconds
      FROM sending_number n
      LEFT JOIN waba w ON w.organization_id = n.organization_id AND w.waba_id = n.waba_id
      CROSS JOIN LATERAL (
        SELECT flow_id, count(*) AS queued
        FROM (SELECT flow_id FROM send_queue WHERE number_id = n.number_id ORDER BY flow_id, seq) row GROUP BY flow_id
      ) q
      CROSS JOIN LATERAL (
        SELECT accepted_at AS oldest FROM send_queue
        WHERE number_id = n.number_id AND flow_id = q.flow_id ORDER BY seq LIMIT 1
      ) head
      LEFT JOIN api_key k ON k.organization_id = n.organization_id AND k.key_number = ${keyNumberSql('q.flow_id')}
      WHERE ($1::uuid IS NULL OR n.organization_id = $1)
        AND ($2::text IS NULL OR $2 IN (n.phone_number_id, n.former_phone_number_id))
      ORDER BY n.organization_id, phone_number_id, n.number_id, q.flow_id`,
    values: [filter.organizationId, filter.phoneNumberId],
  });
  const groups = Map.groupBy(rows, (row) => row.number_id);
  return [...groups.values()].flatMap((flows) => {
    const [first] = flows;
    if (first === undefined) return [];
    return {
      organizationId: first.organization_id,
      phoneNumberId: first.phone_number_id,
      numberId: first.number_id,
      ownPace: first.own_pace,
      upstreamPace: upstreamPaceOf({ throughputLevel: first.throughput_level, isOnBizApp: first.is_on_biz_app }),
      paused: first.paused,
      released: first.released,
      parkedReason: first.parked_reason,
      parkedUntil: first.parked_until,
      oldestWaitSeconds: Math.max(...flows.map((flow) => flow.oldest_wait_seconds)),
      flows: flows.map((flow) => ({
        flowId: flow.flow_id,
        apiKeyId: flow.api_key_id,
        queued: flow.queued,
        oldestWaitSeconds: flow.oldest_wait_seconds,
      })),
    };
  });
}

/** Paces of numbers, as the nodes that work on them report them. */
export async function listReportedPaces(db: Queryable): Promise<Map<number, { pace: number; used: number }>> {
  const rows = await db.query<{ numberId: number; pace: number; used: number }>({
    name: 'queue_reported_paces',
    text: `
      SELECT p.number_id AS "numberId", p.pace, p.used
      FROM node_report r, jsonb_to_recordset(r.report->'paces') AS p (number_id int, pace float8, used float8)
      WHERE r.reported_at > now() - interval '15 seconds'`,
  });
  return new Map(rows.map(({ numberId, ...paces }) => [numberId, paces]));
}

/** Totals of the whole queue. */
export interface QueueTotals {
  queued: number;
  held: number;
  /** 0 if the queue is empty. */
  oldestWaitSeconds: number;
}

/** Counts the queue, at about a tenth of a second per million messages. The oldest message is found from the heads of the flows. */
export async function readQueueTotals(db: Queryable): Promise<QueueTotals> {
  const rows = await db.query<QueueTotals>({
    name: 'queue_totals',
    text: `
      WITH RECURSIVE flow AS (
        (SELECT number_id, flow_id, accepted_at FROM send_queue ORDER BY number_id, flow_id, seq LIMIT 1)
        UNION ALL
        SELECT n.* FROM flow CROSS JOIN LATERAL (
          SELECT q.number_id, q.flow_id, q.accepted_at FROM send_queue q
          WHERE (q.number_id, q.flow_id) > (flow.number_id, flow.flow_id)
          ORDER BY q.number_id, q.flow_id, q.seq LIMIT 1
        ) n
      )
      SELECT (SELECT count(*) FROM send_queue) AS queued,
             (SELECT count(*) FROM send_queue WHERE hold_until IS NOT NULL) AS held,
             coalesce(extract(epoch FROM now() - min(accepted_at)), 0)::float8 AS "oldestWaitSeconds"
      FROM flow`,
  });
  return firstRow(rows);
}
