import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

// Transaction ids are 64-bit numbers here, without a wraparound, and far below 2^53.

/** The lowest 64-bit transaction id that this PostgreSQL has not given out yet. */
export async function readNextTransactionId(db: Queryable): Promise<number> {
  const rows = await db.query<{ xid: number }>({
    name: 'transaction_id_next',
    text: 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xid',
  });
  return firstRow(rows).xid;
}

/** The highest transaction id among rows that are read in commit order, or will be; 0 without any. */
export async function findNewestTransactionId(db: Queryable): Promise<number> {
  const rows = await db.query<{ xid: number }>({
    name: 'transaction_id_newest',
    // A message's next event must follow its last one, whose day may have been dropped. If any event exists, events are at least as new.
    text: `
      SELECT coalesce(greatest(
        (SELECT max(xid) FROM event), (SELECT max(xid) FROM upstream_journal), (SELECT max(xid) FROM change_feed),
        (SELECT max(pg_snapshot_xmax(since)) FROM webhook_endpoint),
        (SELECT max(event_xid) FROM message WHERE NOT EXISTS (SELECT FROM event))
      ), '0')::text::bigint AS xid`,
  });
  return firstRow(rows).xid;
}

/** Makes PostgreSQL give out `count` transaction ids unused. Some 10,000 take a second, and none waits for the disk. */
export async function skipTransactionIds(db: Queryable, count: number): Promise<void> {
  const text = `DO $$ BEGIN FOR i IN 1..${count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`;
  await db.query({ text });
}
