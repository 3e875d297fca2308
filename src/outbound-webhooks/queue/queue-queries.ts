import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import { sameKey } from '../../database/batching/same-key.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import type { EventKey, EventRef } from '../../events/index.ts';
import { RETRY_MS_MAX } from '../attempt/attempt-schedule.ts';

/** State of the fan-out of events to endpoints. */
export interface FanOutState {
  /** Event cursor; null while there is no endpoint. */
  position: string | null;
  /** Number of moves of the cursor: a node that has read an older state moves nothing. */
  moves: number;
  /** Number of changes of endpoints. */
  revision: number;
}

/** Returns the current state without a lock. */
export async function readFanOut(db: Queryable): Promise<FanOutState> {
  const rows = await db.query<FanOutState>({
    name: 'webhook_fan_out_read',
    text: 'SELECT position, moves, revision FROM webhook_fan_out',
  });
  return firstRow(rows);
}

/**
 * Moves the cursor to `position` and locks the queue for writing. Returns false, without a lock, if another node has moved it or
 * endpoints have changed since `from` was read.
 */
export async function moveFanOut(tx: Queryable, from: FanOutState, position: string | null): Promise<boolean> {
  const rows = await tx.query({
    name: 'webhook_fan_out_move',
    text: 'UPDATE webhook_fan_out SET position = $1, moves = moves + 1 WHERE moves = $2 AND revision = $3 RETURNING 1',
    values: [position, from.moves, from.revision],
  });
  return rows.length > 0;
}

/** Makes the node that fans out events read the endpoints again. `position` is the start if there was no endpoint so far. */
export async function noteEndpointChange(tx: Queryable, position: string): Promise<void> {
  await tx.query({
    name: 'webhook_fan_out_revise',
    text: 'UPDATE webhook_fan_out SET revision = revision + 1, position = coalesce(position, $1)',
    values: [position],
  });
}

/** Locks the queue for writing, so that its numbers rise in the order of commits. */
export async function lockQueue(tx: Queryable): Promise<void> {
  await tx.query({ name: 'webhook_queue_lock', text: 'SELECT FROM webhook_fan_out FOR NO KEY UPDATE' });
}

/** One event to be delivered to one endpoint. */
export interface NewQueueRow extends EventRef {
  endpointNumber: number;
  /** Number of the event's type. */
  eventType: number;
  conversation: string | null;
}

/** The rows of a statement, after the time now. */
const NEW_ROWS = arrayTable<NewQueueRow>(2)({
  organization_id: ['uuid', (row) => row.organizationId],
  endpoint_number: ['int', (row) => row.endpointNumber],
  subject_id: ['uuid', (row) => row.subjectId],
  sequence: ['smallint', (row) => row.sequence],
  event_type: ['smallint', (row) => row.eventType],
  event_at: ['timestamptz', (row) => new Date(row.atSeconds * 1000)],
  conversation: ['uuid', (row) => row.conversation],
});

/**
 * Queues deliveries in the order given; the caller has locked the queue. A delivery that waits already is not queued twice, but falls due
 * at `nowMs`. Returns the numbers of the new rows by `queueKey`.
 */
export async function insertQueueRows(
  tx: Queryable,
  rows: readonly NewQueueRow[],
  nowMs: number,
): Promise<Map<string, number>> {
  const inserted = await tx.query<{
    endpoint_number: number;
    subject_id: string;
    sequence: number;
    seq: number;
    fresh: boolean;
  }>({
    name: 'webhook_queue_insert',
    text: `
      INSERT INTO webhook_queue AS q (${NEW_ROWS.names})
      SELECT ${NEW_ROWS.names}
      FROM (
        ${NEW_ROWS.rows('ord')}
      ) i
      ORDER BY ord
      ON CONFLICT (organization_id, endpoint_number, subject_id, sequence) WHERE subject_id IS NOT NULL
        DO UPDATE SET due_at = least(q.due_at, $1) WHERE q.due_at > $1
      RETURNING endpoint_number, subject_id, sequence, seq, due_at IS NULL AS fresh`,
    values: [new Date(nowMs), ...NEW_ROWS.values(rows)],
  });
  return new Map(
    inserted.flatMap((row) =>
      row.fresh
        ? [[queueKey(row.endpoint_number, { subjectId: row.subject_id, sequence: row.sequence }), row.seq] as const]
        : [],
    ),
  );
}

/** Returns the key of one event at one endpoint. */
export function queueKey(endpointNumber: number, { subjectId, sequence }: EventKey): string {
  return `${endpointNumber}:${subjectId}:${sequence}`;
}

/** A delivery that waits. */
export interface QueueRow extends NewQueueRow {
  seq: number;
  /** Number of failed attempts. */
  attempts: number;
  /** Epoch ms; null before the first attempt. */
  dueAtMs: number | null;
}

/** Returns the SQL condition that the queue row `q` has the place that `other` names. */
export function samePlace(q: string, other: string): string {
  return sameKey(q, other, ['organization_id', 'endpoint_number', 'seq']);
}

interface StoredRow extends Record<string, unknown> {
  organization_id: string;
  endpoint_number: number;
  seq: number;
  subject_id: string;
  sequence: number;
  event_type: number;
  event_at: Date;
  conversation: string | null;
  attempts: number;
  due_at: Date | null;
}

/** An endpoint whose queue is read. */
export interface QueueOwner {
  organizationId: string;
  endpointNumber: number;
}

interface RetriesWanted extends QueueOwner {
  rowsMax: number;
}

interface FreshWanted extends RetriesWanted {
  afterSeq: number;
}

interface ConversationWanted extends QueueOwner {
  conversation: string;
}

const OWNER = {
  organization_id: ['uuid', (owner) => owner.organizationId],
  endpoint_number: ['int', (owner) => owner.endpointNumber],
} satisfies Columns<QueueOwner>;
export const FRESH_WANTED = arrayTable<FreshWanted>()({
  ...OWNER,
  after_seq: ['bigint', (wanted) => wanted.afterSeq],
  rows_max: ['int', (wanted) => wanted.rowsMax],
});
/** The endpoints of a statement, after the time now and the latest due time. */
const RETRIES_WANTED = arrayTable<RetriesWanted>(3)({ ...OWNER, rows_max: ['int', (wanted) => wanted.rowsMax] });
/** The conversations of a statement, after the most rows of each. */
const CONVERSATIONS_WANTED = arrayTable<ConversationWanted>(2)({
  ...OWNER,
  conversation: ['uuid', (wanted) => wanted.conversation],
});

const ROW =
  'q.organization_id, q.endpoint_number, q.seq, q.subject_id, q.sequence, q.event_type, q.event_at, q.conversation, q.attempts, q.due_at';

/** Delivery found in the search for deliveries never tried. */
export interface FreshRow extends QueueRow {
  /** True if it has failed itself, or is behind a failed delivery of its conversation: its turn comes with that retry. */
  isBlocked: boolean;
  /** True if it is the last row looked at, so that more may follow. */
  isCut: boolean;
}

/** Most rows looked at for one endpoint, because any number of them may be retries or blocked. */
const LOOKED_AT_MAX = 1_000;

/**
 * Returns rows never tried, in order: for each endpoint at most `rowsMax` after `afterSeq`. Blocked rows are left out, except the last
 * row looked at, which shows how far the search got.
 */
export async function listFreshRows(db: Queryable, wanted: readonly FreshWanted[]): Promise<FreshRow[]> {
  const rows = await db.query<StoredRow & { is_blocked: boolean; is_cut: boolean }>({
    name: 'webhook_queue_list_fresh',
    // A failed row is the first of its conversation: earlier rows whose events no longer exist are deleted before the failure is written.
    text: `
      SELECT ${ROW}, q.is_blocked, q.place = ${LOOKED_AT_MAX} AS is_cut
      FROM ${FRESH_WANTED.from('e')}
      CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT w.*, row_number() OVER in_order AS place, lead(w.seq) OVER in_order IS NULL AS is_last,
            w.due_at IS NOT NULL OR w.conversation IS NOT NULL AND (
              SELECT f.due_at IS NOT NULL FROM webhook_queue f
              WHERE f.organization_id = w.organization_id AND f.endpoint_number = w.endpoint_number AND f.conversation = w.conversation
              ORDER BY f.organization_id, f.endpoint_number, f.conversation, f.seq LIMIT 1
            ) AS is_blocked
          FROM (
            SELECT * FROM webhook_queue w
            WHERE w.organization_id = e.organization_id AND w.endpoint_number = e.endpoint_number AND w.seq > e.after_seq
            ORDER BY w.organization_id, w.endpoint_number, w.seq LIMIT ${LOOKED_AT_MAX}
          ) w
          WINDOW in_order AS (ORDER BY w.seq)
        ) w
        WHERE is_last OR NOT is_blocked
        ORDER BY w.seq LIMIT e.rows_max
      ) q
      ORDER BY q.endpoint_number, q.seq`,
    values: FRESH_WANTED.values(wanted),
  });
  return rows.map((row) => ({ ...toQueueRow(row), isBlocked: row.is_blocked, isCut: row.is_cut }));
}

/**
 * Returns the rows of each endpoint that fall due first, due at `nowMs` or not, at most `rowsMax`, in the order they fall due. A row
 * postponed by a clock that was set back since counts as due.
 */
export async function listRetryRows(
  db: Queryable,
  wanted: readonly RetriesWanted[],
  nowMs: number,
): Promise<QueueRow[]> {
  const retries = (condition: string, fallsDue: string) => `
    SELECT w.*, ${fallsDue} AS falls_due FROM webhook_queue w
    WHERE w.organization_id = e.organization_id AND w.endpoint_number = e.endpoint_number AND ${condition}
    ORDER BY w.organization_id, w.endpoint_number, w.due_at, w.seq LIMIT e.rows_max`;
  const rows = await db.query<StoredRow & { falls_due: Date }>({
    name: 'webhook_queue_list_retries',
    text: `
      SELECT ${ROW}, q.falls_due
      FROM ${RETRIES_WANTED.from('e')}
      CROSS JOIN LATERAL (
        (${retries('w.due_at > $2', '$1::timestamptz')}) UNION ALL (${retries('w.due_at <= $2', 'w.due_at')}) LIMIT e.rows_max
      ) q
      ORDER BY q.endpoint_number, q.falls_due, q.seq`,
    values: [new Date(nowMs), new Date(nowMs + RETRY_MS_MAX), ...RETRIES_WANTED.values(wanted)],
  });
  return rows.map((row) => toQueueRow({ ...row, due_at: row.falls_due }));
}

/** Returns the next rows of conversations whose order is kept, at most `rowsMax` of each, in order. */
export async function listConversationRows(
  db: Queryable,
  wanted: readonly ConversationWanted[],
  rowsMax: number,
): Promise<QueueRow[]> {
  const rows = await db.query<StoredRow>({
    name: 'webhook_queue_list_conversations',
    text: `
      SELECT ${ROW}
      FROM ${CONVERSATIONS_WANTED.from('e')}
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_queue w
        WHERE w.organization_id = e.organization_id AND w.endpoint_number = e.endpoint_number AND w.conversation = e.conversation
        ORDER BY w.organization_id, w.endpoint_number, w.conversation, w.seq LIMIT $1
      ) q
      ORDER BY q.endpoint_number, q.conversation, q.seq`,
    values: [rowsMax, ...CONVERSATIONS_WANTED.values(wanted)],
  });
  return rows.map(toQueueRow);
}

/** Most rows that one statement makes due. */
const PULLED_FORWARD_MAX = 1_000;

/** Makes all of an endpoint's retries due at `nowMs`. */
export async function pullRetriesForward(db: Queryable, owner: QueueOwner, nowMs: number): Promise<void> {
  while ((await pullSomeForward(db, owner, nowMs)) === PULLED_FORWARD_MAX) {
    // repeats until all are due
  }
}

async function pullSomeForward(db: Queryable, owner: QueueOwner, nowMs: number): Promise<number> {
  const rows = await db.query({
    name: 'webhook_queue_pull_forward',
    text: `
      UPDATE webhook_queue q SET due_at = $3
      FROM (
        SELECT organization_id, endpoint_number, seq FROM webhook_queue
        WHERE organization_id = $1 AND endpoint_number = $2 AND due_at > $3
        ORDER BY due_at LIMIT ${PULLED_FORWARD_MAX} FOR UPDATE SKIP LOCKED
      ) later
      WHERE ${samePlace('q', 'later')}
      RETURNING 1`,
    values: [owner.organizationId, owner.endpointNumber, new Date(nowMs)],
  });
  return rows.length;
}

function toQueueRow(row: StoredRow): QueueRow {
  return {
    organizationId: row.organization_id,
    endpointNumber: row.endpoint_number,
    seq: row.seq,
    subjectId: row.subject_id,
    sequence: row.sequence,
    eventType: row.event_type,
    atSeconds: row.event_at.getTime() / 1000,
    conversation: row.conversation,
    attempts: row.attempts,
    dueAtMs: row.due_at?.getTime() ?? null,
  };
}
