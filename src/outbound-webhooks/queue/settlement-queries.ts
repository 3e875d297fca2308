import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import type { EventRef } from '../../events/index.ts';
import type { AttemptRecord } from '../attempt/attempt-verdict.ts';
import { ATTEMPT } from '../history/delivery-queries.ts';
import { type QueueOwner, type QueueRow, samePlace } from './queue-queries.ts';

/** End of a delivery, with the attempt that ended it. */
export interface Settlement {
  row: QueueRow;
  delivered: boolean;
  /** Number of all attempts, this one included. */
  attempts: number;
  attempt: AttemptRecord;
}

/** Failed attempt that another one follows. */
export interface Postponement {
  row: QueueRow;
  attempts: number;
  attempt: AttemptRecord;
  /** Epoch ms. */
  dueAtMs: number;
  /** True if the endpoint refused the delivery: it leaves its conversation, whose next delivery goes on. */
  isRefused: boolean;
}

const KEY = {
  organization_id: ['uuid', ({ row }) => row.organizationId],
  endpoint_number: ['int', ({ row }) => row.endpointNumber],
  seq: ['bigint', ({ row }) => row.seq],
} satisfies Columns<{ row: QueueRow }>;
/** The columns in `ATTEMPT`. */
const ATTEMPT_COLUMNS = {
  http_status: ['smallint', ({ attempt }) => attempt.httpStatus],
  failure: ['text', ({ attempt }) => attempt.failure],
  latency_ms: ['int', ({ attempt }) => attempt.latencyMs],
  answer: ['text', ({ attempt }) => attempt.answer],
} satisfies Columns<{ attempt: AttemptRecord }>;
const KEYS = arrayTable<{ row: QueueRow }>()(KEY);
export const SETTLED = arrayTable<Settlement>()({
  ...KEY,
  subject_id: ['uuid', ({ row }) => row.subjectId],
  sequence: ['smallint', ({ row }) => row.sequence],
  event_type: ['smallint', ({ row }) => row.eventType],
  event_at: ['timestamptz', ({ row }) => new Date(row.atSeconds * 1000)],
  delivered: ['boolean', ({ delivered }) => delivered],
  attempts: ['smallint', ({ attempts }) => attempts],
  settled_at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
  ...ATTEMPT_COLUMNS,
});
const FAILED = arrayTable<Postponement>()({
  ...KEY,
  attempts: ['smallint', ({ attempts }) => attempts],
  due_at: ['timestamptz', ({ dueAtMs }) => new Date(dueAtMs)],
  refused: ['boolean', ({ isRefused }) => isRefused],
  at: ['timestamptz', ({ attempt }) => new Date(attempt.atMs)],
  ...ATTEMPT_COLUMNS,
});

/**
 * Records ends: deletes queue rows and inserts deliveries, except of events whose day was dropped while they waited. If a delivery has
 * two ends, the later one counts. Safe to repeat.
 */
export async function recordSettlements(db: Queryable, settlements: readonly Settlement[]): Promise<void> {
  await db.query({
    name: 'webhook_delivery_record',
    text: `
      WITH settled AS MATERIALIZED (
        SELECT * FROM (${SETTLED.rows()}) s
        ORDER BY organization_id, endpoint_number, seq
      ),
      gone AS (
        DELETE FROM webhook_queue q USING settled s
        WHERE ${samePlace('q', 's')}
      )
      INSERT INTO webhook_delivery AS d (organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered,
                                         attempts, settled_at, ${ATTEMPT})
      SELECT organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered, attempts, settled_at, ${ATTEMPT}
      FROM settled
      WHERE to_regclass('webhook_delivery_' || to_char(event_at AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL
      ON CONFLICT (organization_id, endpoint_number, event_at, subject_id, sequence) DO UPDATE
        SET delivered = excluded.delivered, attempts = excluded.attempts, settled_at = excluded.settled_at,
            http_status = excluded.http_status, failure = excluded.failure, latency_ms = excluded.latency_ms,
            answer = excluded.answer`,
    values: SETTLED.values(settlements),
  });
}

/**
 * Records failed attempts and the due times of the next ones. Returns those whose rows are no longer in the queue, because they were
 * settled elsewhere. Safe to repeat.
 */
export async function recordPostponements(
  db: Queryable,
  postponements: readonly Postponement[],
): Promise<readonly Postponement[]> {
  const rows = await db.query({
    name: 'webhook_attempt_record',
    text: `
      WITH failed AS MATERIALIZED (
        SELECT * FROM (${FAILED.rows()}) f
        ORDER BY organization_id, endpoint_number, seq
      ),
      waiting AS (
        UPDATE webhook_queue q
        SET attempts = f.attempts, due_at = f.due_at, conversation = CASE WHEN NOT f.refused THEN q.conversation END
        FROM failed f
        WHERE ${samePlace('q', 'f')}
          AND q.attempts < f.attempts
        RETURNING q.organization_id, q.endpoint_number, q.seq, q.subject_id, q.sequence
      )
      INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at, ${ATTEMPT})
      SELECT w.organization_id, w.endpoint_number, w.subject_id, w.sequence, f.at, f.http_status, f.failure, f.latency_ms, f.answer
      FROM waiting w JOIN failed f USING (organization_id, endpoint_number, seq)
      RETURNING 1`,
    values: FAILED.values(postponements),
  });
  return rows.length === postponements.length ? [] : await listGone(db, postponements);
}

/** Returns the items whose rows are no longer in the queue. */
async function listGone<Item extends { row: QueueRow }>(db: Queryable, items: readonly Item[]): Promise<Item[]> {
  const rows = await db.query<{ place: number }>({
    name: 'webhook_queue_list_gone',
    text: `
      SELECT ordinal AS place FROM (${KEYS.rows('ordinal')}) k
      WHERE NOT EXISTS (SELECT FROM webhook_queue q WHERE ${samePlace('q', 'k')})`,
    values: KEYS.values(items),
  });
  return rows.flatMap(({ place }) => items[place - 1] ?? []);
}

/** The deliveries of a statement, after their owner. Its first column is the third parameter. */
const ENDED = arrayTable<EventRef>(3)({
  event_at: ['timestamptz', ({ atSeconds }) => new Date(atSeconds * 1000)],
  subject_id: ['uuid', ({ subjectId }) => subjectId],
  sequence: ['smallint', ({ sequence }) => sequence],
});

/** Removes the ends of an endpoint's deliveries that wait once more; the attempts that ended them join the others. */
export async function takeBackEnds(tx: Queryable, owner: QueueOwner, waiting: readonly EventRef[]): Promise<void> {
  await tx.query({
    name: 'webhook_delivery_take_back',
    // Searches only deliveries of the same seconds, because any number of others may lie between them. `IS TRUE` keeps the comparison
    // hashed; a join would compare each with each.
    text: `
      WITH ended AS (
        DELETE FROM webhook_delivery
        WHERE organization_id = $1 AND endpoint_number = $2 AND event_at = ANY ($3::timestamptz[])
          AND ((${ENDED.names}) IN (SELECT * FROM ${ENDED.from('k')})) IS TRUE
        RETURNING *
      )
      INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at, ${ATTEMPT})
      SELECT organization_id, endpoint_number, subject_id, sequence, settled_at, ${ATTEMPT} FROM ended
      WHERE to_regclass('webhook_attempt_' || to_char(settled_at AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL`,
    values: [owner.organizationId, owner.endpointNumber, ...ENDED.values(waiting)],
  });
}
