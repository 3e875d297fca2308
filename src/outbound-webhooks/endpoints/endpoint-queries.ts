import { arrayTable } from '../../database/batching/array-table.ts';
import { parseSnapshot } from '../../database/changes/snapshot.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import { type EventType, isEventType } from '../../events/index.ts';
import type { Health } from '../attempt/circuit-breaker.ts';
import type { DisabledReason, Endpoint, EndpointSettings } from '../endpoint.ts';
import { samePlace } from '../queue/queue-queries.ts';

interface EndpointRow extends Record<string, unknown> {
  organization_id: string;
  id: string;
  endpoint_number: number;
  url: string;
  description: string | null;
  format: Endpoint['format'];
  signing: Endpoint['signing'];
  message_ids: Endpoint['messageIds'];
  phone_numbers: Endpoint['phoneNumbers'];
  event_types: string[] | null;
  phone_number_ids: string[] | null;
  waba_ids: string[] | null;
  ordered: boolean;
  rate_per_second: number | null;
  secret_sealed: Buffer;
  old_secret_sealed: Buffer | null;
  old_secret_until: Date | null;
  disabled_at: Date | null;
  disabled_reason: DisabledReason | null;
  failing_since: Date | null;
  failures_in_row: number;
  since: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `organization_id, id, endpoint_number, url, description, format, signing, event_types, phone_number_ids, waba_ids,
  message_ids, phone_numbers, ordered, rate_per_second, secret_sealed, old_secret_sealed, old_secret_until, disabled_at,
  disabled_reason, failing_since, failures_in_row, since::text AS since, created_at, updated_at`;

/** Values that a new endpoint is created from. */
export type NewEndpoint = EndpointSettings & Pick<Endpoint, 'id' | 'secretSealed'>;

/** Most endpoints of an organization. */
export const ENDPOINTS_MAX = 50;

/**
 * Stores an endpoint; undefined if its organization has `ENDPOINTS_MAX` already. Call `noteEndpointChange` in the same transaction.
 */
export async function insertEndpoint(
  tx: Queryable,
  organizationId: string,
  endpoint: NewEndpoint,
  nowMs: number,
): Promise<Endpoint | undefined> {
  const rows = await tx.query<EndpointRow>({
    name: 'webhook_endpoint_insert',
    text: `
      INSERT INTO webhook_endpoint (organization_id, id, url, description, format, signing, event_types, phone_number_ids, waba_ids,
                                    ordered, rate_per_second, secret_sealed, message_ids, phone_numbers,
                                    created_at, updated_at)
      SELECT $1::uuid, $2::uuid, $3, $4, $5, $6, $7::text[], $8::text[], $9::text[], $10::boolean, $11::real, $12::bytea,
             $13, $14, $15::timestamptz, $15::timestamptz
      WHERE (SELECT count(*) FROM webhook_endpoint WHERE organization_id = $1 AND deleted_at IS NULL) < ${ENDPOINTS_MAX}
      RETURNING ${COLUMNS}`,
    values: [
      organizationId,
      endpoint.id,
      endpoint.url,
      endpoint.description,
      endpoint.format,
      endpoint.signing,
      endpoint.eventTypes,
      endpoint.phoneNumberIds,
      endpoint.wabaIds,
      endpoint.ordered,
      endpoint.ratePerSecond,
      endpoint.secretSealed,
      endpoint.messageIds,
      endpoint.phoneNumbers,
      new Date(nowMs),
    ],
  });
  return rows.map(toEndpoint)[0];
}

/** Returns an endpoint of the organization; undefined if it does not exist or was deleted. */
export async function findEndpoint(db: Queryable, organizationId: string, id: string): Promise<Endpoint | undefined> {
  const rows = await db.query<EndpointRow>({
    name: 'webhook_endpoint_find',
    text: `SELECT ${COLUMNS} FROM webhook_endpoint WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL`,
    values: [organizationId, id],
  });
  return rows.map(toEndpoint)[0];
}

/** Returns the same as `findEndpoint`, and locks the row against other changes until the transaction ends. */
export async function lockEndpoint(tx: Queryable, organizationId: string, id: string): Promise<Endpoint | undefined> {
  const rows = await tx.query<EndpointRow>({
    name: 'webhook_endpoint_lock',
    text: `
      SELECT ${COLUMNS} FROM webhook_endpoint WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    values: [organizationId, id],
  });
  return rows.map(toEndpoint)[0];
}

/** Returns an organization's endpoints older than the id `before`, newest first. */
export async function listEndpoints(
  db: Queryable,
  organizationId: string,
  before: string | undefined,
  limit: number,
): Promise<Endpoint[]> {
  const rows = await db.query<EndpointRow>({
    name: 'webhook_endpoint_list',
    text: `
      SELECT ${COLUMNS} FROM webhook_endpoint
      WHERE organization_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id < $2)
      ORDER BY id DESC LIMIT $3`,
    values: [organizationId, before, limit],
  });
  return rows.map(toEndpoint);
}

/** Version of an endpoint, to decide if it has to be read again: a later change of its settings has a later time. */
export type EndpointVersion = Pick<Endpoint, 'id' | 'endpointNumber' | 'updatedAtMs'>;

/** Returns the versions of every organization's endpoints: just enough to see which cached ones are outdated. */
export async function listEndpointVersions(db: Queryable): Promise<EndpointVersion[]> {
  const rows = await db.query<Pick<EndpointRow, 'id' | 'endpoint_number' | 'updated_at'>>({
    name: 'webhook_endpoint_list_versions',
    text: 'SELECT id, endpoint_number, updated_at FROM webhook_endpoint WHERE deleted_at IS NULL',
  });
  return rows.map((row) => ({
    id: row.id,
    endpointNumber: row.endpoint_number,
    updatedAtMs: row.updated_at.getTime(),
  }));
}

/** Returns endpoints by id, of any organization. */
export async function listEndpointsById(db: Queryable, ids: readonly string[]): Promise<Endpoint[]> {
  const rows = await db.query<EndpointRow>({
    name: 'webhook_endpoint_list_by_id',
    text: `SELECT ${COLUMNS} FROM webhook_endpoint WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL`,
    values: [ids],
  });
  return rows.map(toEndpoint);
}

/**
 * Writes every field of a locked endpoint that its owner or its health changes. A later change gets a later time, even if clocks are set
 * back.
 */
export async function updateEndpoint(tx: Queryable, endpoint: Endpoint, nowMs: number): Promise<Endpoint> {
  const rows = await tx.query<EndpointRow>({
    name: 'webhook_endpoint_update',
    text: `
      UPDATE webhook_endpoint
      SET url = $3, description = $4, event_types = $5::text[], phone_number_ids = $6::text[], waba_ids = $7::text[],
          ordered = $8, rate_per_second = $9, secret_sealed = $10, old_secret_sealed = $11, old_secret_until = $12,
          disabled_at = $13, disabled_reason = $14, failing_since = $15, failures_in_row = $16,
          message_ids = $17, phone_numbers = $18, updated_at = greatest($19, updated_at + interval '1 millisecond')
      WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL
      RETURNING ${COLUMNS}`,
    values: [
      endpoint.organizationId,
      endpoint.id,
      endpoint.url,
      endpoint.description,
      endpoint.eventTypes,
      endpoint.phoneNumberIds,
      endpoint.wabaIds,
      endpoint.ordered,
      endpoint.ratePerSecond,
      endpoint.secretSealed,
      endpoint.oldSecret?.sealed,
      toDate(endpoint.oldSecret?.untilMs),
      toDate(endpoint.disabled?.atMs),
      endpoint.disabled?.reason,
      toDate(endpoint.failingSinceMs),
      endpoint.failuresInRow,
      endpoint.messageIds,
      endpoint.phoneNumbers,
      new Date(nowMs),
    ],
  });
  return toEndpoint(firstRow(rows));
}

/** Recent health of an endpoint, under the settings of `updatedAtMs`. */
export interface EndpointHealth extends Health {
  organizationId: string;
  id: string;
  updatedAtMs: number;
}

export const HEALTH = arrayTable<EndpointHealth>()({
  organization_id: ['uuid', (health) => health.organizationId],
  id: ['uuid', (health) => health.id],
  failures_in_row: ['int', (health) => health.failuresInRow],
  failing_since: ['timestamptz', (health) => toDate(health.failingSinceMs)],
  updated_at: ['timestamptz', (health) => new Date(health.updatedAtMs)],
});

/** Writes endpoints' health. Skips an endpoint whose settings have changed since: it may have been enabled and count as healthy again. */
export async function updateHealth(db: Queryable, health: readonly EndpointHealth[]): Promise<void> {
  await db.query({
    name: 'webhook_endpoint_update_health',
    text: `
      UPDATE webhook_endpoint e SET failures_in_row = h.failures_in_row, failing_since = h.failing_since
      FROM ${HEALTH.from('h')}
      WHERE e.organization_id = h.organization_id AND e.id = h.id AND e.updated_at <= h.updated_at`,
    values: HEALTH.values(health),
  });
}

/** Marks an endpoint as deleted; `clearDeleted` removes its row and queue. Returns false if there is no such endpoint. */
export async function markDeleted(tx: Queryable, organizationId: string, id: string, nowMs: number): Promise<boolean> {
  const rows = await tx.query({
    name: 'webhook_endpoint_mark_deleted',
    text: `
      UPDATE webhook_endpoint SET deleted_at = $3
      WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING 1`,
    values: [organizationId, id, new Date(nowMs)],
  });
  return rows.length > 0;
}

/** Deletes up to `limit` queue rows of deleted endpoints, then the endpoints themselves. Returns the number of queue rows. */
export async function clearDeleted(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: 'webhook_queue_clear_deleted',
    text: `
      DELETE FROM webhook_queue q
      USING (
        SELECT w.organization_id, w.endpoint_number, w.seq
        FROM webhook_endpoint e JOIN webhook_queue w USING (organization_id, endpoint_number)
        WHERE e.deleted_at IS NOT NULL LIMIT $1
      ) d
      WHERE ${samePlace('q', 'd')}
      RETURNING 1`,
    values: [limit],
  });
  await db.query({
    name: 'webhook_endpoint_clear_deleted',
    text: `
      DELETE FROM webhook_endpoint e
      WHERE e.deleted_at < now() - interval '1 minute'
        AND NOT EXISTS (
          SELECT FROM webhook_queue q WHERE q.organization_id = e.organization_id AND q.endpoint_number = e.endpoint_number
        )`,
  });
  return rows.length;
}

/**
 * Deletes up to `limit` rows of disabled endpoints whose events were written before `beforeMs`. Searches only endpoints whose oldest row
 * has expired, each among its `limit` oldest rows. Returns the number of rows.
 */
export async function clearExpired(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const rows = await db.query({
    name: 'webhook_queue_clear_expired',
    text: `
      DELETE FROM webhook_queue q
      USING (
        SELECT w.organization_id, w.endpoint_number, w.seq
        FROM (
          SELECT * FROM webhook_endpoint e
          WHERE e.disabled_at IS NOT NULL AND (
            SELECT f.event_at FROM webhook_queue f
            WHERE f.organization_id = e.organization_id AND f.endpoint_number = e.endpoint_number
            ORDER BY f.organization_id, f.endpoint_number, f.seq LIMIT 1
          ) < $1
          OFFSET 0
        ) e
        CROSS JOIN LATERAL (
          SELECT * FROM webhook_queue w
          WHERE w.organization_id = e.organization_id AND w.endpoint_number = e.endpoint_number
          ORDER BY w.organization_id, w.endpoint_number, w.seq LIMIT $2
        ) w
        WHERE w.event_at < $1 LIMIT $2
      ) old
      WHERE ${samePlace('q', 'old')}
      RETURNING 1`,
    values: [new Date(beforeMs), limit],
  });
  return rows.length;
}

function toEndpoint(row: EndpointRow): Endpoint {
  return {
    organizationId: row.organization_id,
    id: row.id,
    endpointNumber: row.endpoint_number,
    url: row.url,
    description: row.description,
    format: row.format,
    signing: row.signing,
    messageIds: row.message_ids,
    phoneNumbers: row.phone_numbers,
    eventTypes: row.event_types?.filter((type): type is EventType => isEventType(type)) ?? null,
    phoneNumberIds: row.phone_number_ids,
    wabaIds: row.waba_ids,
    ordered: row.ordered,
    ratePerSecond: row.rate_per_second,
    secretSealed: row.secret_sealed,
    oldSecret:
      row.old_secret_sealed === null || row.old_secret_until === null
        ? null
        : { sealed: row.old_secret_sealed, untilMs: row.old_secret_until.getTime() },
    disabled:
      row.disabled_at === null || row.disabled_reason === null
        ? null
        : { atMs: row.disabled_at.getTime(), reason: row.disabled_reason },
    failingSinceMs: row.failing_since?.getTime() ?? null,
    failuresInRow: row.failures_in_row,
    since: parseSnapshot(row.since),
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
}

function toDate(epochMs: number | null | undefined): Date | null {
  return epochMs === null || epochMs === undefined ? null : new Date(epochMs);
}
