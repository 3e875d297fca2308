import type { Queryable } from '../database/database.ts';
import type { HoldTimes } from './outcome-policy.ts';

/** A shard just taken over. */
export interface TakenShard {
  shard: number;
  /** How long nobody worked on it, surely and at most, in milliseconds. */
  gapMs: number;
  gapMsMax: number;
}

/**
 * Makes everything these shards' journals name an unknown outcome and clears the journals: for shards just taken over. Whoever
 * wrote a row, this process before it lost the shard included, the message may have been sent.
 *
 * For holds that were open the time in which nobody had the shard is a gap (see `holdAfterGap`), taken for as long as it may have
 * been for young ones and for as long as it surely was for old ones. A new hold lasts at least as long as its attempt is old.
 */
export async function holdJournaled(
  tx: Queryable,
  shards: readonly TakenShard[],
  nowMs: number,
  times: HoldTimes,
): Promise<void> {
  await tx.query({
    name: 'dispatch_hold_journaled',
    text: `
      WITH taken AS MATERIALIZED (SELECT * FROM unnest($1::smallint[], $2::float8[], $3::float8[]) AS t(shard, gap_ms, gap_ms_max)),
      journal AS (
        DELETE FROM dispatch_journal WHERE shard = ANY($1::smallint[]) RETURNING number_ids, flow_ids, seqs, at
      ),
      open AS (
        SELECT number_id, flow_id, seq, min(at) AS at
        FROM (
          SELECT j.number_id, j.flow_id, j.seq, journal.at
          FROM journal, unnest(number_ids, flow_ids, seqs) AS j(number_id, flow_id, seq)
          UNION ALL
          SELECT number_id, flow_id, seq, attempted_at
          FROM send_queue WHERE shard = ANY($1::smallint[]) AND hold_until IS NOT NULL
        ) o
        GROUP BY number_id, flow_id, seq
      )
      UPDATE send_queue q
      SET hold_until = CASE
            WHEN q.hold_until IS NULL THEN $4::timestamptz + greatest(
              CASE WHEN q.flow_id % 4 = 0 THEN $6::float8 ELSE $5::float8 END * interval '1 millisecond',
              least($4::timestamptz - open.at, $7 * interval '1 millisecond')
            )
            WHEN $4::timestamptz - open.at > ($8::float8 + gap_ms_max) * interval '1 millisecond'
              THEN q.hold_until + gap_ms * interval '1 millisecond'
            ELSE least(
              greatest(q.hold_until, $4::timestamptz) + gap_ms_max * interval '1 millisecond',
              $4::timestamptz + $7 * interval '1 millisecond'
            ) END,
          attempted_at = coalesce(q.attempted_at, open.at),
          unknown_count = q.unknown_count + (q.hold_until IS NULL)::int
      FROM open, taken
      WHERE q.number_id = open.number_id AND q.flow_id = open.flow_id AND q.seq = open.seq AND q.shard = taken.shard`,
    values: [
      shards.map((taken) => taken.shard),
      shards.map((taken) => taken.gapMs),
      shards.map((taken) => taken.gapMsMax),
      new Date(nowMs),
      times.ordinaryMs,
      times.authenticationMs,
      times.afterGapMsMax,
      times.lengthenedMsMax,
    ],
  });
}

/** An unknown outcome, and since when a status may speak of it. */
export interface OpenQuestion {
  organizationId: string;
  messageId: string;
  seq: number;
  phoneNumberId: string;
  contact: string;
  sinceMs: number;
}

/**
 * Statuses that settle unknown outcomes: about the same number and person, stamped since the attempt began, with a wamid nobody
 * has recorded and the very callback data of the message. The earliest per question. The upstream's stamp counts and not when a
 * status came in, or a late one about an earlier attempt would settle this one.
 */
export async function findSettlingStatuses(
  db: Queryable,
  questions: OpenQuestion[],
): Promise<{ seq: number; wamid: string }[]> {
  return await db.query<{ seq: number; wamid: string }>({
    name: 'early_status_find_settling',
    text: `
      SELECT DISTINCT ON (p.seq) p.seq, e.wamid
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::timestamptz[])
        AS p(organization_id, message_id, seq, phone_number_id, contact, since)
      JOIN message m ON m.organization_id = p.organization_id AND m.id = p.message_id
      JOIN early_status e ON e.phone_number_id = p.phone_number_id AND e.contact = p.contact
      WHERE least(e.sent_at, e.delivered_at, e.read_at, e.failed_at) >= p.since
        AND e.callback_data IS NOT DISTINCT FROM m.callback_data
        AND NOT EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = e.wamid_digest)
      ORDER BY p.seq, least(e.sent_at, e.delivered_at, e.read_at, e.failed_at)`,
    values: [
      questions.map((question) => question.organizationId),
      questions.map((question) => question.messageId),
      questions.map((question) => question.seq),
      questions.map((question) => question.phoneNumberId),
      questions.map((question) => question.contact),
      questions.map((question) => new Date(question.sinceMs)),
    ],
  });
}

/** Notes until when these outcomes are held, unless they are no longer or for longer. */
export async function lengthenHolds(
  db: Queryable,
  holds: { numberId: number; flowId: number; seq: number; unknownCount: number; holdUntilMs: number }[],
): Promise<void> {
  await db.query({
    name: 'queue_lengthen_holds',
    text: `
      UPDATE send_queue q SET hold_until = h.hold_until
      FROM unnest($1::int[], $2::int[], $3::bigint[], $4::smallint[], $5::timestamptz[])
        AS h(number_id, flow_id, seq, unknown_count, hold_until)
      WHERE q.number_id = h.number_id AND q.flow_id = h.flow_id AND q.seq = h.seq AND q.unknown_count = h.unknown_count
        AND q.hold_until < h.hold_until`,
    values: [
      holds.map((hold) => hold.numberId),
      holds.map((hold) => hold.flowId),
      holds.map((hold) => hold.seq),
      holds.map((hold) => hold.unknownCount),
      holds.map((hold) => new Date(hold.holdUntilMs)),
    ],
  });
}

/** Which of these rows are no longer in the queue: whoever had them in flight when the shard changed hands has ended them. */
export async function listGone(
  db: Queryable,
  rows: { numberId: number; flowId: number; seq: number }[],
): Promise<number[]> {
  const gone = await db.query<{ seq: number }>({
    name: 'queue_list_gone',
    text: `
      SELECT r.seq FROM unnest($1::int[], $2::int[], $3::bigint[]) AS r(number_id, flow_id, seq)
      WHERE NOT EXISTS (
        SELECT FROM send_queue q WHERE q.number_id = r.number_id AND q.flow_id = r.flow_id AND q.seq = r.seq
      )`,
    values: [rows.map((row) => row.numberId), rows.map((row) => row.flowId), rows.map((row) => row.seq)],
  });
  return gone.map((row) => row.seq);
}
