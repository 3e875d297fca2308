import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { deleteOlder } from '../database/days/delete-older.ts';

/** Signed payload to be stored as received. */
export interface JournalItem {
  receivedAtMs: number;
  payload: Buffer;
  /** 128 bits of SHA-256 of the payload, as 32 hexadecimal digits. */
  digest: string;
  /** Reason why the payload, or parts of it, will never be applied. */
  failure: string | undefined;
  /** True if any part of it can be applied. */
  isReadable: boolean;
}

/** The payloads of a statement, after whether they wait to be applied. */
const ITEMS = arrayTable<JournalItem>(2)({
  digest: ['uuid', (item) => item.digest],
  received_at: ['timestamptz', (item) => new Date(item.receivedAtMs)],
  payload: ['bytea', (item) => item.payload],
  failure: ['text', (item) => item.failure],
  readable: ['boolean', (item) => item.isReadable],
});

/**
 * Claims payloads by their digests, which must be distinct, and stores them as received; `pending` ones wait to be applied. Returns the
 * digests that were claimed before: their payloads are durable already, so nothing is stored for them. Waits for claims that other
 * transactions are making at the same time.
 */
export async function journalPayloads(
  tx: Queryable,
  items: readonly JournalItem[],
  pending: boolean,
): Promise<Set<string>> {
  const rows = await tx.query<{ digest: string }>({
    name: 'upstream_journal_insert',
    // `IS TRUE` keeps the lookup among claimed digests hashed; a join would compare each with each.
    text: `
      WITH item AS MATERIALIZED (
        SELECT i.*, readable AND $1 AS pending FROM ${ITEMS.from('i')}
      ),
      claimed AS (
        INSERT INTO upstream_digest (digest, received_at)
        SELECT digest, received_at FROM item ORDER BY digest
        ON CONFLICT DO NOTHING
        RETURNING digest
      ),
      stored AS (
        INSERT INTO upstream_journal (received_at, payload, failure, pending)
        SELECT received_at, payload, failure, pending
        FROM item WHERE (digest IN (SELECT digest FROM claimed)) IS TRUE
      )
      SELECT replace(digest::text, '-', '') AS digest FROM item WHERE (digest IN (SELECT digest FROM claimed)) IS NOT TRUE`,
    values: [pending, ...ITEMS.values(items)],
  });
  return new Set(rows.map((row) => row.digest));
}

/**
 * Claims changes by their ids, which must be distinct. Returns the ids that were not claimed before, so that each change is applied once,
 * however often and in whichever payloads it is reported. A claim is undone with the transaction that made it.
 */
export async function claimChanges(tx: Queryable, ids: readonly string[], nowMs: number): Promise<Set<string>> {
  const rows = await tx.query<{ digest: string }>({
    name: 'upstream_change_claim',
    text: `
      INSERT INTO upstream_digest (digest, received_at)
      SELECT digest, $2 FROM unnest($1::uuid[]) AS i(digest) ORDER BY digest
      ON CONFLICT DO NOTHING
      RETURNING digest`,
    values: [ids, new Date(nowMs)],
  });
  return new Set(rows.map((row) => row.digest));
}

/** Deletes the digests of payloads received before `beforeMs` (epoch ms). If such a payload arrives again, it counts as new. */
export function sweepDigests(db: Queryable, beforeMs: number): Promise<void> {
  return deleteOlder(db, 'upstream_digest', 'received_at', beforeMs);
}

/** Payload that waits to be applied. */
export interface PendingPayload {
  id: number;
  receivedAt: Date;
  payload: Buffer;
}

/** True if a payload is pending. */
export async function hasPending(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: 'upstream_journal_has_pending',
    text: 'SELECT FROM upstream_journal WHERE pending LIMIT 1',
  });
  return rows.length > 0;
}

/**
 * Takes the oldest pending payloads, locked against other nodes until the transaction ends: at most `limit`, and after the first at most
 * `bytesMax` in total.
 */
export async function takePending(tx: Queryable, limit: number, bytesMax: number): Promise<PendingPayload[]> {
  const rows = await tx.query<{ id: number; received_at: Date; payload: Buffer }>({
    name: 'upstream_journal_take_pending',
    text: `
      WITH oldest AS MATERIALIZED (
        SELECT id, received_at, payload FROM upstream_journal
        WHERE pending ORDER BY received_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
      )
      SELECT id, received_at, payload
      FROM (
        SELECT id, received_at, payload, sum(octet_length(payload)) OVER oldest_first AS bytes,
               row_number() OVER oldest_first AS place
        FROM oldest WINDOW oldest_first AS (ORDER BY received_at, id)
      ) p
      WHERE place = 1 OR bytes <= $2
      ORDER BY place`,
    values: [limit, bytesMax],
  });
  return rows.map((row) => ({ id: row.id, receivedAt: row.received_at, payload: row.payload }));
}

/** Keeps a transaction that has taken payloads from being ended as idle. */
export async function holdPending(tx: Queryable): Promise<void> {
  await tx.query({ text: 'SELECT' });
}

interface FinishedPayload {
  id: number;
  receivedAt: Date;
  failure: string | undefined;
}

const FINISHED = arrayTable<FinishedPayload>()({
  received_at: ['timestamptz', (row) => row.receivedAt],
  id: ['bigint', (row) => row.id],
  failure: ['text', (row) => row.failure],
});

/** Marks payloads as finished, each with the reason for the parts that could not be applied. */
export async function finishPending(tx: Queryable, rows: readonly FinishedPayload[]): Promise<void> {
  await tx.query({
    name: 'upstream_journal_finish',
    text: `
      UPDATE upstream_journal j SET pending = false, failure = f.failure
      FROM ${FINISHED.from('f')}
      WHERE j.received_at = f.received_at AND j.id = f.id`,
    values: FINISHED.values(rows),
  });
}

/** Place in the journal, in the order of its transactions. */
export interface JournalPosition {
  xid: string;
  id: number;
}

/** Payload as the journal shows it. */
export interface JournalEntry extends JournalPosition {
  receivedAt: Date;
  payload: Buffer;
  pending: boolean;
  failure: string | null;
}

/**
 * Time that covers clock differences and delays before journaling. A payload received this much before a time was journaled before every
 * payload received after it. The reason: each node's clock may be ten minutes away from PostgreSQL's, and a payload waits two minutes at
 * most.
 */
const SLACK = "interval '1 hour'";

/**
 * Returns payloads after a place, received within [from, to): at most `limit`, and after the first at most `bytesMax` in total. Returns
 * only payloads below the transaction horizon, so that none can appear before a place already read.
 */
export async function listPayloads(
  db: Queryable,
  after: JournalPosition,
  range: { from: Date; to: Date },
  limit: number,
  bytesMax: number,
): Promise<JournalEntry[]> {
  return await db.query<JournalEntry>({
    name: 'upstream_journal_list',
    // No index has the time of receipt in this order, so a payload journaled earlier marks where to begin.
    text: `
      WITH earlier AS MATERIALIZED (
        SELECT xid FROM upstream_journal WHERE received_at < $3::timestamptz - ${SLACK} ORDER BY received_at DESC, id DESC LIMIT 1
      )
      SELECT xid::text AS xid, id, received_at AS "receivedAt", payload, pending, failure
      FROM (
        SELECT j.*, sum(octet_length(payload)) OVER (ORDER BY xid, id) AS bytes, row_number() OVER (ORDER BY xid, id) AS place
        FROM (
          SELECT * FROM upstream_journal
          WHERE xid >= greatest($1::xid8, (SELECT xid FROM earlier)) AND (xid, id) > ($1::xid8, $2::bigint)
            AND xid < pg_snapshot_xmin(pg_current_snapshot())
            AND received_at >= $3 AND received_at < $4
          ORDER BY xid, id LIMIT $5
        ) j
      ) p
      WHERE place = 1 OR bytes <= $6
      ORDER BY place`,
    values: [after.xid, after.id, range.from, range.to, limit, bytesMax],
  });
}

/**
 * Makes payloads received from `after` on and before `to` pending again, oldest first, at most `limit`. Returns their number and the last
 * one, which is the next call's `after`. Undefined if there was none.
 */
export async function markForReplay(
  db: Queryable,
  after: { receivedAt: Date; id: number },
  to: Date,
  limit: number,
): Promise<{ count: number; last: { receivedAt: Date; id: number } } | undefined> {
  const rows = await db.query<{ receivedAt: Date; id: number }>({
    name: 'upstream_journal_mark_for_replay',
    text: `
      WITH chosen AS MATERIALIZED (
        SELECT received_at, id FROM upstream_journal
        WHERE (received_at, id) > ($1, $2) AND received_at >= $1 AND received_at < $3
        ORDER BY received_at, id LIMIT $4
      ),
      marked AS (
        UPDATE upstream_journal j SET pending = true, failure = NULL
        FROM chosen c WHERE j.received_at = c.received_at AND j.id = c.id
      )
      SELECT received_at AS "receivedAt", id FROM chosen ORDER BY received_at, id`,
    values: [after.receivedAt, after.id, to, limit],
  });
  const last = rows.at(-1);
  return last && { count: rows.length, last };
}

/**
 * Makes payloads pending again that contain a WABA's id and were journaled after a snapshot. Searches `limit` of those after a place.
 * Returns the last one searched, which is the next call's `after`. Undefined if there was none.
 */
export async function markTold(
  db: Queryable,
  wabaId: string,
  since: string,
  after: JournalPosition,
  limit: number,
): Promise<JournalPosition | undefined> {
  const rows = await db.query<JournalPosition>({
    name: 'upstream_journal_mark_told',
    text: `
      WITH looked_at AS MATERIALIZED (
        SELECT xid, id, received_at, position($2::bytea IN payload) > 0 AS is_meant
        FROM upstream_journal
        WHERE xid >= greatest(pg_snapshot_xmin($1::pg_snapshot), $3::xid8) AND (xid, id) > ($3::xid8, $4::bigint)
          AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
        ORDER BY xid, id LIMIT $5
      ),
      marked AS (
        UPDATE upstream_journal j SET pending = true, failure = NULL
        FROM looked_at l WHERE l.is_meant AND j.received_at = l.received_at AND j.id = l.id
      )
      SELECT xid::text AS xid, id FROM looked_at ORDER BY looked_at.xid DESC, id DESC LIMIT 1`,
    values: [since, Buffer.from(wabaId), after.xid, after.id, limit],
  });
  return rows[0];
}
