import type { Queryable } from '../database/database.ts';

/** A signed payload to be kept as received. */
export interface JournalItem {
  receivedAtMs: number;
  payload: Buffer;
  /** Why it will never be applied, when it cannot be read at all. */
  failure: string | undefined;
}

/** Stores payloads as received. `pending` ones wait to be applied one by one. */
export async function journalPayloads(tx: Queryable, items: JournalItem[], pending: boolean): Promise<void> {
  await tx.query({
    name: 'upstream_journal_insert',
    text: `
      INSERT INTO upstream_journal (received_at, payload, failure, pending)
      SELECT received_at, payload, failure, $4 AND failure IS NULL
      FROM unnest($1::timestamptz[], $2::bytea[], $3::text[]) AS i(received_at, payload, failure)`,
    values: [
      items.map((item) => new Date(item.receivedAtMs)),
      items.map((item) => item.payload),
      items.map((item) => item.failure),
      pending,
    ],
  });
}

/** Takes the oldest pending payloads, locked against other nodes for the length of the transaction. */
export async function takePending(
  tx: Queryable,
  limit: number,
): Promise<{ id: number; receivedAt: Date; payload: Buffer }[]> {
  const rows = await tx.query<{ id: number; received_at: Date; payload: Buffer }>({
    name: 'upstream_journal_take_pending',
    text: `SELECT id, received_at, payload FROM upstream_journal WHERE pending ORDER BY received_at, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
    values: [limit],
  });
  return rows.map((row) => ({ id: row.id, receivedAt: row.received_at, payload: row.payload }));
}

/** Notes that a payload needs no more work, with what could not be applied. */
export async function finishPending(
  tx: Queryable,
  row: { id: number; receivedAt: Date },
  failure: string | undefined,
): Promise<void> {
  await tx.query({
    name: 'upstream_journal_finish',
    text: `UPDATE upstream_journal SET pending = false, failure = $3 WHERE received_at = $1 AND id = $2`,
    values: [row.receivedAt, row.id, failure],
  });
}
