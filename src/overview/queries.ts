import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';
import type { Dispatcher } from '../dispatch/index.ts';

/** Most things of one kind that are listed. */
const LISTED_MAX = 50;

/** Figures that a node reports of itself. */
export interface NodeReport {
  /** Messages on their way to the platform. */
  inFlight: number;
  /** Numbers whose queues it works on. */
  numbers: number;
  eventLoopDelaySeconds: number;
  memoryBytes: number;
  /** Sends a second in the last seconds. */
  sentPerSecond: number;
  /** Numbers that have sent in the last seconds. */
  paces: { number_id: number; pace: number; used: number }[];
  /** The messages that go next. */
  next: Awaited<ReturnType<Dispatcher['listNext']>>;
}

/** Replaces a node's report, and forgets those of nodes that have been silent for an hour. */
export async function writeReport(db: Queryable, nodeId: string, report: NodeReport): Promise<void> {
  await db.query({
    name: 'node_report_write',
    text: `
      WITH forgotten AS (DELETE FROM node_report WHERE reported_at < now() - interval '1 hour' AND node_id <> $1)
      INSERT INTO node_report (node_id, reported_at, report) VALUES ($1, now(), $2)
      ON CONFLICT (node_id) DO UPDATE SET reported_at = excluded.reported_at, report = excluded.report`,
    values: [nodeId, JSON.stringify(report)],
  });
}

export interface ListedNode {
  id: string;
  startedAt: Date;
  seenAt: Date;
  isAlive: boolean;
  dispatches: boolean;
  delivers: boolean;
  servesApi: boolean;
  shards: number;
  /** Null if it is old, or the node has not reported yet. */
  report: Omit<NodeReport, 'paces' | 'next'> | null;
}

/** Returns the nodes of the last hour; one that was stopped in order is not among them. */
export async function listNodes(db: Queryable): Promise<ListedNode[]> {
  return db.query<ListedNode & Record<string, unknown>>({
    name: 'overview_nodes',
    text: `
      SELECT n.id, n.started_at AS "startedAt", n.seen_at AS "seenAt", n.seen_at > now() - interval '5 seconds' AS "isAlive",
             n.dispatches, n.delivers, n.serves_api AS "servesApi", coalesce(l.shards, 0)::int AS shards,
             CASE WHEN r.reported_at > now() - interval '30 seconds' THEN r.report - '{paces,next}'::text[] END AS report
      FROM node n
      LEFT JOIN (SELECT owner, count(*) AS shards FROM shard_lease WHERE expires_at > now() GROUP BY owner) l ON l.owner = n.id
      LEFT JOIN node_report r ON r.node_id = n.id
      ORDER BY n.started_at, n.id LIMIT 100`,
  });
}

/** Deliveries that wait. */
export interface WebhookLag {
  /** 0 if nothing waits. */
  oldestWaitSeconds: number;
  endpoints: number;
}

/** Looks at the head of each endpoint's queue. */
export async function readWebhookLag(db: Queryable): Promise<WebhookLag> {
  const rows = await db.query<WebhookLag & Record<string, unknown>>({
    name: 'overview_webhook_lag',
    text: `
      SELECT coalesce(max(extract(epoch FROM now() - q.event_at)), 0)::float8 AS "oldestWaitSeconds",
             count(q.event_at)::int AS endpoints
      FROM webhook_endpoint e
      CROSS JOIN LATERAL (
        SELECT event_at FROM webhook_queue q
        WHERE q.organization_id = e.organization_id AND q.endpoint_number = e.endpoint_number ORDER BY seq LIMIT 1
      ) q
      WHERE e.deleted_at IS NULL AND e.disabled_at IS NULL`,
  });
  return firstRow(rows);
}

/** A number or an account that sends nothing. */
export interface Stopped {
  organizationId: string;
  wabaId: string | null;
  /** Null for an account. */
  phoneNumberId: string | null;
  paused: boolean;
  code: string | null;
  reason: string | null;
  since: Date | null;
}

/** Returns connected numbers that are paused or parked, and parked accounts. */
export async function listStopped(db: Queryable): Promise<Stopped[]> {
  return db.query<Stopped & Record<string, unknown>>({
    name: 'overview_stopped',
    text: `
      (SELECT organization_id AS "organizationId", waba_id AS "wabaId", NULL AS "phoneNumberId", false AS paused,
              parked_code AS code, parked_reason AS reason, parked_at AS since
       FROM waba WHERE parked_code IS NOT NULL ORDER BY organization_id, waba_id LIMIT ${LISTED_MAX})
      UNION ALL
      (SELECT organization_id, waba_id, phone_number_id, paused, parked_code, parked_reason, parked_at
       FROM sending_number WHERE (paused OR parked_code IS NOT NULL) AND released_at IS NULL
       ORDER BY organization_id, number_id LIMIT ${LISTED_MAX})`,
  });
}

export interface FailingEndpoint {
  organizationId: string;
  id: string;
  disabledReason: string | null;
  failingSince: Date | null;
  disabledAt: Date | null;
}

/** Returns endpoints that were disabled by failures, or whose attempts have failed for a minute. */
export async function listFailing(db: Queryable): Promise<FailingEndpoint[]> {
  return db.query<FailingEndpoint & Record<string, unknown>>({
    name: 'overview_failing_endpoints',
    text: `
      SELECT organization_id AS "organizationId", id, disabled_reason AS "disabledReason", failing_since AS "failingSince",
             disabled_at AS "disabledAt"
      FROM webhook_endpoint
      WHERE deleted_at IS NULL AND (disabled_reason IN ('gone', 'failing') OR failing_since IS NOT NULL)
        AND (disabled_reason IN ('gone', 'failing') OR failing_since < now() - interval '1 minute')
      ORDER BY organization_id, id LIMIT ${LISTED_MAX}`,
  });
}

/** Returns the time of the oldest payload of the platform that has waited for a minute to be applied; undefined if there is none. */
export async function findPendingPayload(db: Queryable): Promise<Date | undefined> {
  const rows = await db.query<{ receivedAt: Date }>({
    name: 'overview_pending_payload',
    text: `
      SELECT received_at AS "receivedAt" FROM upstream_journal
      WHERE pending AND received_at < now() - interval '1 minute' ORDER BY received_at, id LIMIT 1`,
  });
  return rows[0]?.receivedAt;
}
