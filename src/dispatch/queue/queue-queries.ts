import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import type { FlowRead, ReadRequest, RecipientRead } from '../scheduler/index.ts';
import { COLUMNS, Q_COLUMNS, type QueueRow, type RawQueueRow, toQueueRow } from './queue-row.ts';

const CURSOR = {
  number_id: ['int', (cursor) => cursor.numberId],
  after_seq: ['bigint', (cursor) => cursor.afterSeq],
  rows_max: ['int', (cursor) => cursor.limit],
} satisfies Columns<ReadRequest>;
export const FLOW_CURSORS = arrayTable<FlowRead>()({ ...CURSOR, flow_id: ['int', (cursor) => cursor.flowId] });
export const RECIPIENT_CURSORS = arrayTable<RecipientRead>()({
  ...CURSOR,
  contact: ['bigint', (cursor) => cursor.contact],
});

/** Returns the next `limit` rows of each flow after its cursor. A cursor read skips the dead rows before the cursor. */
export async function listFlowRows(db: Queryable, cursors: FlowRead[]): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_flow_rows',
    text: `
      SELECT ${Q_COLUMNS}
      FROM ${FLOW_CURSORS.from('c')}
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM send_queue
        WHERE number_id = c.number_id AND flow_id = c.flow_id AND seq > c.after_seq
        ORDER BY seq LIMIT c.rows_max
      ) q`,
    values: FLOW_CURSORS.values(cursors),
  });
  return rows.map(toQueueRow);
}

/** Returns the next `limit` rows of each recipient after its cursor, in order, across all flows. */
export async function listRecipientRows(db: Queryable, cursors: RecipientRead[]): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_recipient_rows',
    text: `
      SELECT ${Q_COLUMNS}
      FROM ${RECIPIENT_CURSORS.from('c')}
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM send_queue
        WHERE number_id = c.number_id AND contact = c.contact AND seq > c.after_seq
        ORDER BY seq LIMIT c.rows_max
      ) q`,
    values: RECIPIENT_CURSORS.values(cursors),
  });
  return rows.map(toQueueRow);
}

/**
 * Returns the first `limit` rows of every flow of these shards, for a takeover. A loose index scan steps from flow to flow, so the cost
 * depends on the number of flows, not of waiting messages.
 */
export async function listFlowHeads(db: Queryable, shards: number[], limit: number): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_flow_heads',
    text: `
      WITH RECURSIVE flow AS (
        (SELECT number_id, flow_id FROM send_queue ORDER BY number_id, flow_id LIMIT 1)
        UNION ALL
        SELECT n.number_id, n.flow_id
        FROM flow CROSS JOIN LATERAL (
          SELECT q.number_id, q.flow_id FROM send_queue q
          WHERE (q.number_id, q.flow_id) > (flow.number_id, flow.flow_id)
          ORDER BY q.number_id, q.flow_id LIMIT 1
        ) n
      )
      SELECT ${Q_COLUMNS}
      FROM flow CROSS JOIN LATERAL (
        SELECT ${COLUMNS}, shard FROM send_queue
        WHERE number_id = flow.number_id AND flow_id = flow.flow_id
        ORDER BY seq LIMIT $2
      ) q
      WHERE q.shard = ANY($1::smallint[])`,
    values: [shards, limit],
  });
  return rows.map(toQueueRow);
}

/** Returns the rows of these shards with an unknown outcome, at any position in their flows. */
export async function listHeldRows(db: Queryable, shards: number[]): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_held',
    text: `SELECT ${COLUMNS} FROM send_queue WHERE shard = ANY($1::smallint[]) AND hold_until IS NOT NULL ORDER BY seq`,
    values: [shards],
  });
  return rows.map(toQueueRow);
}

/**
 * Returns at most `limit` cancelled messages of these numbers, the earliest cancellation first. The search scans the cancelled rows only; a
 * search by number would scan all waiting rows.
 */
export async function listCancelled(db: Queryable, numberIds: number[], limit: number): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_cancelled',
    text: `
      SELECT ${Q_COLUMNS} FROM (
        SELECT ${COLUMNS} FROM send_queue
        WHERE cancelled_at > '-infinity' AND hold_until IS NULL
        ORDER BY cancelled_at OFFSET 0
      ) q
      WHERE number_id = ANY($1::int[]) LIMIT $2`,
    values: [numberIds, limit],
  });
  return rows.map(toQueueRow);
}

/** Returns the next `limit` waiting messages of a number after a position in its queue. */
export async function listWaiting(
  db: Queryable,
  after: Pick<QueueRow, 'numberId' | 'flowId' | 'seq'>,
  limit: number,
): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_waiting',
    text: `
      SELECT ${COLUMNS} FROM send_queue
      WHERE number_id = $1 AND (flow_id, seq) > ($2, $3) AND hold_until IS NULL
      ORDER BY flow_id, seq LIMIT $4`,
    values: [after.numberId, after.flowId, after.seq, limit],
  });
  return rows.map(toQueueRow);
}

/** Returns at most `limit` expired waiting messages of these numbers, the longest expired first. Searched like cancelled messages. */
export async function listExpired(
  db: Queryable,
  numberIds: number[],
  nowMs: number,
  limit: number,
): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_expired',
    text: `
      SELECT ${Q_COLUMNS} FROM (
        SELECT ${COLUMNS} FROM send_queue
        WHERE expires_at <= $2 AND hold_until IS NULL
        ORDER BY expires_at OFFSET 0
      ) q
      WHERE number_id = ANY($1::int[]) LIMIT $3`,
    values: [numberIds, new Date(nowMs), limit],
  });
  return rows.map(toQueueRow);
}
