import type { Queryable } from '../database/database.ts';

/** How long unknown outcomes wait for a status, in milliseconds. */
export interface HoldTimes {
  ordinaryMs: number;
  authenticationMs: number;
  /** Nothing waits longer than this for what is repeated with pauses that grow with its age. */
  overdueMsMax: number;
}

/**
 * Makes everything these shards' journals name an unknown outcome and clears the journals: for a shard just taken over.
 * Whoever wrote a row, this process before it lost the shard included, the message may have been sent. The time that nobody
 * had the shards, `gapMs`, does not count for the holds that were open; a new one lasts at least as long as its attempt is old.
 */
export async function holdJournaled(
  tx: Queryable,
  shards: number[],
  nowMs: number,
  times: HoldTimes,
  gapMs: number,
): Promise<void> {
  await tx.query({
    name: 'dispatch_hold_journaled',
    text: `
      WITH journal AS (
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
            WHEN q.hold_until IS NOT NULL THEN greatest(q.hold_until, $2::timestamptz) + $5 * interval '1 millisecond'
            ELSE $2::timestamptz + greatest(
              CASE WHEN q.flow_id % 4 = 0 THEN $4::float8 ELSE $3::float8 END * interval '1 millisecond',
              least($2::timestamptz - open.at, $6 * interval '1 millisecond')
            ) END,
          attempted_at = coalesce(q.attempted_at, open.at),
          unknown_count = q.unknown_count + (q.hold_until IS NULL)::int
      FROM open
      WHERE q.number_id = open.number_id AND q.flow_id = open.flow_id AND q.seq = open.seq`,
    values: [shards, new Date(nowMs), times.ordinaryMs, times.authenticationMs, gapMs, times.overdueMsMax],
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
