import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import type { EventKey, EventRef } from '../../events/index.ts';
import type { AttemptRecord } from '../attempt/attempt-verdict.ts';
import type { QueueOwner } from '../queue/queue-queries.ts';

/** Columns of a stored attempt besides its time, the same in every table. */
export const ATTEMPT = 'http_status, failure, latency_ms, answer';

interface StoredAttempt extends Record<string, unknown> {
  http_status: number | null;
  failure: string | null;
  latency_ms: number;
  answer: string | null;
}

function toAttempt(at: Date, row: StoredAttempt): AttemptRecord {
  return {
    atMs: at.getTime(),
    httpStatus: row.http_status,
    failure: row.failure,
    latencyMs: row.latency_ms,
    answer: row.answer,
  };
}

/** Delivery as it is listed, without its attempts. Times are epoch milliseconds. */
export interface DeliveryRow extends SettledPlace {
  eventType: number;
  status: 'pending' | 'delivered' | 'failed';
  /** Number in the queue; null once settled. */
  seq: number | null;
  nextAttemptAtMs: number | null;
  settledAtMs: number | null;
  lastAttempt: AttemptRecord | null;
}

/** Returns waiting deliveries queued before `beforeSeq`, newest first, at most `limit`. */
export async function listPending(
  db: Queryable,
  owner: QueueOwner,
  beforeSeq: number,
  limit: number,
): Promise<DeliveryRow[]> {
  const rows = await db.query<{
    subject_id: string;
    sequence: number;
    event_type: number;
    event_at: Date;
    seq: number;
    due_at: Date | null;
  }>({
    name: 'webhook_queue_list_pending',
    text: `
      SELECT subject_id, sequence, event_type, event_at, seq, due_at FROM webhook_queue
      WHERE organization_id = $1 AND endpoint_number = $2 AND seq < $3
      ORDER BY organization_id DESC, endpoint_number DESC, seq DESC LIMIT $4`,
    values: [owner.organizationId, owner.endpointNumber, beforeSeq, limit],
  });
  return rows.map((row) => ({
    subjectId: row.subject_id,
    sequence: row.sequence,
    eventType: row.event_type,
    atSeconds: row.event_at.getTime() / 1000,
    status: 'pending',
    seq: row.seq,
    nextAttemptAtMs: row.due_at?.getTime() ?? null,
    settledAtMs: null,
    lastAttempt: null,
  }));
}

interface SettledRow extends StoredAttempt {
  subject_id: string;
  sequence: number;
  event_type: number;
  event_at: Date;
  delivered: boolean;
  settled_at: Date;
}

/** Place among settled deliveries: newest events first. */
export type SettledPlace = Omit<EventRef, 'organizationId'>;

/** Returns settled deliveries of events written from `fromMs` on, after `place`, newest first, at most `limit`. */
export async function listSettled(
  db: Queryable,
  owner: QueueOwner,
  options: { place: SettledPlace; fromMs: number; onlyFailed: boolean; limit: number },
): Promise<DeliveryRow[]> {
  const { place, fromMs, onlyFailed, limit } = options;
  const rows = await db.query<SettledRow>({
    name: onlyFailed ? 'webhook_delivery_list_failed' : 'webhook_delivery_list',
    text: `
      SELECT subject_id, sequence, event_type, event_at, delivered, settled_at, ${ATTEMPT} FROM webhook_delivery
      WHERE organization_id = $1 AND endpoint_number = $2 AND event_at >= $3 AND event_at <= $4
        AND (event_at, subject_id, sequence) < ($4, $5, $6) ${onlyFailed ? 'AND NOT delivered' : ''}
      ORDER BY organization_id DESC, endpoint_number DESC, event_at DESC, subject_id DESC, sequence DESC LIMIT $7`,
    values: [
      owner.organizationId,
      owner.endpointNumber,
      new Date(fromMs),
      new Date(place.atSeconds * 1000),
      place.subjectId,
      place.sequence,
      limit,
    ],
  });
  return rows.map((row) => ({
    subjectId: row.subject_id,
    sequence: row.sequence,
    eventType: row.event_type,
    atSeconds: row.event_at.getTime() / 1000,
    status: row.delivered ? 'delivered' : 'failed',
    seq: null,
    nextAttemptAtMs: null,
    settledAtMs: row.settled_at.getTime(),
    lastAttempt: toAttempt(row.settled_at, row),
  }));
}

/** Place among failed deliveries: the first to fail comes first. */
export interface FailedPlace extends EventKey {
  failedAtMs: number;
}

/**
 * Returns deliveries that failed for good before `untilMs`, after `place`, at most `limit`. Of the same moment, the oldest events come
 * first.
 */
export async function listFailed(
  db: Queryable,
  owner: QueueOwner,
  { place, untilMs, limit }: { place: FailedPlace; untilMs: number; limit: number },
): Promise<(FailedPlace & EventRef)[]> {
  const rows = await db.query<Pick<SettledRow, 'subject_id' | 'sequence' | 'event_at' | 'settled_at'>>({
    name: 'webhook_delivery_list_failed_in_order',
    text: `
      SELECT subject_id, sequence, event_at, settled_at FROM webhook_delivery
      WHERE organization_id = $1 AND endpoint_number = $2 AND NOT delivered AND (settled_at, subject_id, sequence) > ($3, $4, $5)
        AND settled_at < $6
      ORDER BY organization_id, endpoint_number, settled_at, subject_id, sequence LIMIT $7`,
    values: [
      owner.organizationId,
      owner.endpointNumber,
      new Date(place.failedAtMs),
      place.subjectId,
      place.sequence,
      new Date(untilMs),
      limit,
    ],
  });
  return rows.map((row) => ({
    organizationId: owner.organizationId,
    subjectId: row.subject_id,
    sequence: row.sequence,
    atSeconds: row.event_at.getTime() / 1000,
    failedAtMs: row.settled_at.getTime(),
  }));
}

/**
 * Most attempts of one delivery that are shown, because replays add to them without end. Three times as many as are made before it fails.
 */
export const ATTEMPTS_SHOWN_MAX = 36;

/** The events of a statement, after the endpoint. */
export const KEYS = arrayTable<EventKey>(3)({
  subject_id: ['uuid', (key) => key.subjectId],
  sequence: ['smallint', (key) => key.sequence],
});

/**
 * Returns the last `ATTEMPTS_SHOWN_MAX` attempts of each delivery, oldest first: those that did not end it, and those that did before a
 * replay.
 */
export async function listAttempts(
  db: Queryable,
  owner: QueueOwner,
  keys: readonly EventKey[],
): Promise<(AttemptRecord & EventKey)[]> {
  const rows = await db.query<StoredAttempt & { subject_id: string; sequence: number; at: Date }>({
    name: 'webhook_attempt_list',
    // Event by event: PostgreSQL underestimates the attempts of an endpoint, because it does not know that each has one organization.
    text: `
      SELECT a.subject_id, a.sequence, a.at, a.http_status, a.failure, a.latency_ms, a.answer
      FROM ${KEYS.from('k')}
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_attempt a
        WHERE a.organization_id = $1 AND a.endpoint_number = $2 AND a.subject_id = k.subject_id AND a.sequence = k.sequence
        ORDER BY a.at DESC LIMIT ${ATTEMPTS_SHOWN_MAX}
      ) a
      ORDER BY a.at`,
    values: [owner.organizationId, owner.endpointNumber, ...KEYS.values(keys)],
  });
  return rows.map((row) => ({ subjectId: row.subject_id, sequence: row.sequence, ...toAttempt(row.at, row) }));
}

/** Attempt to deliver an event to an endpoint. */
export interface EventAttempt {
  sequence: number;
  endpointId: string;
  outcome: 'delivered' | 'failed' | 'retry';
  /** Epoch ms. */
  atMs: number;
  httpStatus: number | null;
  failure: string | null;
  latencyMs: number | null;
}

/** The events of a statement, after their organization. */
const EVENTS = arrayTable<EventRef>(2)({
  subject_id: ['uuid', (ref) => ref.subjectId],
  sequence: ['smallint', (ref) => ref.sequence],
  event_at: ['timestamptz', (ref) => new Date(ref.atSeconds * 1000)],
});

/**
 * Returns attempts to deliver events of one organization, at all its endpoints: the end of each delivery and its last
 * `ATTEMPTS_SHOWN_MAX` others.
 */
export async function listDeliveriesOfEvents(
  db: Queryable,
  organizationId: string,
  refs: readonly EventRef[],
): Promise<EventAttempt[]> {
  const rows = await db.query<{
    sequence: number;
    endpoint_id: string;
    outcome: EventAttempt['outcome'];
    at: Date;
    http_status: number | null;
    failure: string | null;
    latency_ms: number | null;
  }>({
    name: 'webhook_delivery_list_of_events',
    // Event by event, as in `listAttempts`.
    text: `
      WITH wanted AS MATERIALIZED (
        SELECT e.id AS endpoint_id, e.endpoint_number, k.subject_id, k.sequence, k.event_at
        FROM webhook_endpoint e
        CROSS JOIN ${EVENTS.from('k')}
        WHERE e.organization_id = $1 AND e.deleted_at IS NULL
      )
      SELECT w.sequence, w.endpoint_id, CASE WHEN d.delivered THEN 'delivered' ELSE 'failed' END AS outcome, d.settled_at AS at,
             d.http_status, d.failure, d.latency_ms
      FROM wanted w
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_delivery d
        WHERE d.organization_id = $1 AND d.endpoint_number = w.endpoint_number AND d.event_at = w.event_at
          AND d.subject_id = w.subject_id AND d.sequence = w.sequence
        OFFSET 0
      ) d
      UNION ALL
      SELECT w.sequence, w.endpoint_id, CASE WHEN a.failure IS NULL THEN 'delivered' ELSE 'retry' END, a.at, a.http_status, a.failure,
             a.latency_ms
      FROM wanted w
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_attempt a
        WHERE a.organization_id = $1 AND a.endpoint_number = w.endpoint_number AND a.subject_id = w.subject_id
          AND a.sequence = w.sequence
        ORDER BY a.at DESC LIMIT ${ATTEMPTS_SHOWN_MAX}
      ) a`,
    values: [organizationId, ...EVENTS.values(refs)],
  });
  return rows.map((row) => ({
    sequence: row.sequence,
    endpointId: row.endpoint_id,
    outcome: row.outcome,
    atMs: row.at.getTime(),
    httpStatus: row.http_status,
    failure: row.failure,
    latencyMs: row.latency_ms,
  }));
}
