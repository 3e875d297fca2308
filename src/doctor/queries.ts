import { firstIdAt } from '../core/ids.ts';
import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';

/** Settings and state of the server, as the gateway's own sessions see them. */
export interface PostgresFacts {
  versionNumber: number;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** Milliseconds with their unit. */
  statementTimeout: string;
  idleSessionTimeout: string;
  planCacheMode: string;
  connectionsAllowed: number;
  locksPerTransaction: number;
  nowMs: number;
  nodes: number;
  /** Seconds; null if there is none. */
  oldestTransactionSeconds: number | null;
  /** Sessions that have waited more than ten seconds for a lock. */
  lockWaits: number;
  idleSlots: string[];
  /** Longest replay lag of a standby, in seconds; null without standbys. */
  standbyLagSeconds: number | null;
}

export async function readPostgres(db: Queryable): Promise<PostgresFacts> {
  const rows = await db.query<PostgresFacts & Record<string, unknown>>({
    text: `
      SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('fsync') AS fsync,
        current_setting('full_page_writes') AS "fullPageWrites",
        current_setting('synchronous_commit') AS "synchronousCommit",
        (SELECT setting || 'ms' FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeout",
        (SELECT setting || 'ms' FROM pg_settings WHERE name = 'idle_session_timeout') AS "idleSessionTimeout",
        current_setting('plan_cache_mode') AS "planCacheMode",
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          AS "connectionsAllowed",
        current_setting('max_locks_per_transaction')::int AS "locksPerTransaction",
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
        (SELECT count(*)::int FROM node WHERE seen_at > now() - interval '5 seconds') AS nodes,
        (SELECT max(extract(epoch FROM now() - xact_start))::float8 FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()) AS "oldestTransactionSeconds",
        (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND state_change < now() - interval '10 seconds') AS "lockWaits",
        (SELECT coalesce(array_agg(slot_name::text), '{}') FROM pg_replication_slots WHERE NOT active) AS "idleSlots",
        (SELECT max(extract(epoch FROM replay_lag))::float8 FROM pg_stat_replication) AS "standbyLagSeconds"`,
  });
  return firstRow(rows);
}

/** A connected business account, with the time of its last sync in epoch ms. */
export interface CheckedWaba {
  organizationId: string;
  wabaId: string;
  /** The app that its token belongs to; null stands for the app of the environment. */
  appId: string | null;
  syncedAtMs: number | null;
}

/** Selects the objects of a run; absent filters select all. */
export interface Selection {
  organizationId: string | undefined;
  wabaId: string | undefined;
}

/** Returns at most `wabasMax` business accounts of the platform, the one synced longest ago first. */
export async function listCheckedWabas(
  db: Queryable,
  { organizationId, wabaId }: Selection,
  wabasMax: number,
): Promise<CheckedWaba[]> {
  return await db.query<CheckedWaba & Record<string, unknown>>({
    text: `
      SELECT organization_id AS "organizationId", waba_id AS "wabaId", app_id AS "appId",
        (extract(epoch FROM synced_at) * 1000)::float8 AS "syncedAtMs"
      FROM waba
      WHERE ($1::uuid IS NULL OR organization_id = $1) AND ($2::text IS NULL OR waba_id = $2) AND NOT test
      ORDER BY synced_at NULLS FIRST, waba_id LIMIT $3`,
    values: [organizationId ?? null, wabaId ?? null, wabasMax],
  });
}

export interface CheckedEndpoint {
  organizationId: string;
  id: string;
  disabledReason: string | null;
  /** Seconds since which every attempt has failed; null while attempts succeed. */
  failingSeconds: number | null;
}

/** Returns endpoints of the selected organizations that fail, or that failures have disabled. */
export async function listFailingEndpoints(
  db: Queryable,
  { organizationId, wabaId }: Selection,
): Promise<CheckedEndpoint[]> {
  return await db.query<CheckedEndpoint & Record<string, unknown>>({
    text: `
      SELECT organization_id AS "organizationId", id, disabled_reason AS "disabledReason",
        extract(epoch FROM now() - failing_since)::float8 AS "failingSeconds"
      FROM webhook_endpoint
      WHERE ($1::uuid IS NULL OR organization_id = $1) AND deleted_at IS NULL
        AND ($2::text IS NULL OR organization_id = (SELECT w.organization_id FROM waba w WHERE w.waba_id = $2))
        AND (disabled_reason IN ('gone', 'failing') OR failing_since IS NOT NULL)
      ORDER BY organization_id, id LIMIT 100`,
    values: [organizationId ?? null, wabaId ?? null],
  });
}

/** Work that live nodes do, and shards whose owner is no longer alive. */
export interface NodeFacts {
  dispatching: number;
  delivering: number;
  serving: number;
  orphanedShards: number;
}

export async function readNodes(db: Queryable): Promise<NodeFacts> {
  const rows = await db.query<NodeFacts & Record<string, unknown>>({
    text: `
      WITH live AS (SELECT * FROM node WHERE seen_at > now() - interval '5 seconds')
      SELECT (SELECT count(*)::int FROM live WHERE dispatches) AS dispatching,
        (SELECT count(*)::int FROM live WHERE delivers) AS delivering,
        (SELECT count(*)::int FROM live WHERE serves_api) AS serving,
        (SELECT count(*)::int FROM shard_lease l WHERE l.expires_at > now()
          AND NOT EXISTS (SELECT FROM node n WHERE n.id = l.owner AND n.seen_at > now() - interval '30 seconds'))
          AS "orphanedShards"`,
  });
  return firstRow(rows);
}

export interface SilentNumber {
  organizationId: string;
  phoneNumberId: string;
  sent: number;
}

const SILENT_AFTER_MS = 5 * 60_000;
const LOOK_BACK_MS = 60 * 60_000;
/** Messages looked at for each organization. */
const MESSAGES_MAX = 1_000;

/**
 * Returns numbers whose messages of the last hour, but for the last five minutes, were accepted by the platform while none of them has had
 * a status. Only the newest 1,000 messages of an organization are looked at.
 */
export async function listSilentNumbers(
  db: Queryable,
  organizationIds: readonly string[],
  nowMs: number,
): Promise<SilentNumber[]> {
  return await db.query<SilentNumber & Record<string, unknown>>({
    text: `
      SELECT m.organization_id AS "organizationId", n.phone_number_id AS "phoneNumberId", count(*)::int AS sent
      FROM unnest($1::uuid[]) AS o (id)
      CROSS JOIN LATERAL (
        SELECT organization_id, number_id, status, pricing_rank, failed_at FROM message
        WHERE organization_id = o.id AND id >= $2 AND id < $3 AND direction = 0 AND wamid IS NOT NULL
        ORDER BY id DESC LIMIT ${MESSAGES_MAX}
      ) m
      JOIN sending_number n ON n.organization_id = m.organization_id AND n.number_id = m.number_id
      WHERE n.phone_number_id IS NOT NULL
      GROUP BY m.organization_id, n.phone_number_id
      HAVING bool_and(m.status = 1 AND m.pricing_rank = 0)
      ORDER BY 1, 2`,
    values: [organizationIds, firstIdAt(nowMs - LOOK_BACK_MS), firstIdAt(nowMs - SILENT_AFTER_MS)],
  });
}
