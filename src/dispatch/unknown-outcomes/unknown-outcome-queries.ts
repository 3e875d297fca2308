import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import type { HeldShard } from '../../leases/index.ts';
import { INTERRUPTED } from '../outcomes/attempt-note.ts';
import { HOLD_TIMES } from '../outcomes/outcome-policy.ts';
import { type QueueKey, samePlace } from '../queue/queue-row.ts';

/** How many batches a process has journaled by now, and which messages of these are still on their way, by seq. */
export interface OwnJournals {
  batches: number;
  inFlight: readonly number[];
}

/** Shards just taken over, by whom, and what that process itself had journaled by then. */
export interface Takeover extends OwnJournals {
  owner: string;
  shards: readonly HeldShard[];
}

/**
 * Makes everything these shards' journals name an unknown outcome and clears the journals: for shards just taken over. Whoever
 * wrote a row, the message may have been sent; but of its own rows, from before it lost the shard, this process knows what is no longer on
 * its way. A hold, from `nowMs` on, lasts at least
 * as long as its attempt is old by the platform's clock, within the limit of what is waited for after a gap; what is held already stays
 * as it is. What was not held before has an attempt on its message's timeline from now on; answers how many those are.
 *
 * Whoever had the shards may be recording results at the same time: rows are taken in the order in which those take them
 * (`recordCompletions`), so that neither waits for the other in a circle.
 *
 * The server may get to it long after its connection was given up. So it leaves alone what its owner has journaled since, and
 * all of a shard that has had another lease since.
 */
export async function holdJournaled(
  db: Queryable,
  { owner, shards, batches, inFlight }: Takeover,
  nowMs: number,
  platformNowMs: number,
): Promise<number> {
  const [row] = await db.query<{ held: number }>({
    name: 'dispatch_hold_journaled',
    text: `
      WITH lease AS MATERIALIZED (
        SELECT shard FROM unnest($1::smallint[], $2::bigint[]) AS t(shard, epoch)
        JOIN shard_lease l USING (shard, epoch)
        WHERE l.owner = $3
      ),
      named AS MATERIALIZED (
        SELECT j.ctid AS place FROM dispatch_journal j JOIN lease USING (shard)
        WHERE j.owner <> $3 OR j.batch <= $4
        ORDER BY j.shard, j.batch FOR UPDATE OF j
      ),
      journal AS (
        DELETE FROM dispatch_journal j USING named WHERE j.ctid = named.place RETURNING owner, number_ids, flow_ids, seqs, at
      ),
      attempt AS (
        SELECT j.number_id, j.flow_id, j.seq, min(journal.at) AS at
        FROM journal, unnest(number_ids, flow_ids, seqs) AS j(number_id, flow_id, seq)
        WHERE journal.owner <> $3 OR j.seq IN (SELECT unnest($11::bigint[]))
        GROUP BY j.number_id, j.flow_id, j.seq
      ),
      waiting AS MATERIALIZED (
        SELECT q.number_id, q.flow_id, q.seq, attempt.at FROM attempt JOIN send_queue q ON ${samePlace('q', 'attempt')}
        WHERE q.hold_until IS NULL
        -- Not by the queue's own columns: a whole index could be walked for their order.
        ORDER BY attempt.number_id, attempt.flow_id, attempt.seq FOR NO KEY UPDATE OF q
      ),
      held AS (
        UPDATE send_queue q
        SET hold_until = $5::timestamptz + greatest(
              CASE WHEN q.flow_id % 4 = 0 THEN $7::float8 ELSE $6::float8 END * interval '1 millisecond',
              least($10::timestamptz - w.at, $8 * interval '1 millisecond')
            ),
            attempted_at = w.at,
            unknown_count = q.unknown_count + 1
        FROM waiting w
        WHERE ${samePlace('q', 'w')}
        -- A timeline goes by the clock of this process.
        RETURNING q.number_id, q.message_id, q.attempted_at + ($5::timestamptz - $10::timestamptz) AS shown_at, q.hold_until
      ),
      noted AS (
        INSERT INTO send_attempt (organization_id, message_id, at, outcome, error_message, next_at)
        SELECT n.organization_id, held.message_id, held.shown_at, 'unknown', $9, held.hold_until
        FROM held JOIN sending_number n USING (number_id)
        -- An attempt may be older than the days that are kept, and its shard has to be taken over all the same.
        WHERE to_regclass('send_attempt_' || to_char(held.shown_at AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL
        ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS held FROM held`,
    values: [
      shards.map(({ shard }) => shard),
      shards.map(({ epoch }) => epoch),
      owner,
      batches,
      new Date(nowMs),
      HOLD_TIMES.ordinaryMs,
      HOLD_TIMES.authenticationMs,
      HOLD_TIMES.afterGapMsMax,
      INTERRUPTED,
      new Date(platformNowMs),
      inFlight,
    ],
  });
  return row?.held ?? 0;
}

/** An unknown outcome, and since when a status may speak of it. */
export interface OpenQuestion {
  organizationId: string;
  messageId: string;
  seq: number;
  numberId: number;
  phoneNumberId: string;
  contact: string;
  sinceMs: number;
}

/**
 * Statuses that settle unknown outcomes: about the same number and person, stamped since the attempt began, with a wamid nobody
 * has recorded and the very callback data of the message, of which an empty one is none. The earliest per question. The upstream's
 * stamp counts and not when a status came in, or a late one about an earlier attempt would settle this one. Where the number was
 * connected anew, to whomever, what is stamped since its release speaks of the later one's messages, and what is stamped before of the
 * earlier one's.
 */
export async function findSettlingStatuses(
  db: Queryable,
  questions: OpenQuestion[],
): Promise<{ seq: number; wamid: string; at: Date }[]> {
  return await db.query<{ seq: number; wamid: string; at: Date }>({
    name: 'early_status_find_settling',
    text: `
      SELECT DISTINCT ON (p.seq) p.seq, e.wamid, told.at
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::timestamptz[], $7::int[])
        AS p(organization_id, message_id, seq, phone_number_id, contact, since, number_id)
      JOIN message m ON m.organization_id = p.organization_id AND m.id = p.message_id
      JOIN early_status e ON e.phone_number_id = p.phone_number_id AND e.contact = p.contact
      CROSS JOIN LATERAL (SELECT least(e.sent_at, e.delivered_at, e.read_at, e.failed_at) AS at) told
      WHERE told.at >= p.since
        AND e.callback_data IS NOT DISTINCT FROM nullif(m.callback_data, '')
        AND NOT EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = e.wamid_digest)
        AND NOT EXISTS (
          SELECT FROM sending_number n
          -- The upstream stamps whole seconds.
          CROSS JOIN LATERAL (SELECT told.at >= date_trunc('second', n.released_at) AS is_since) stamped
          WHERE n.former_phone_number_id = p.phone_number_id AND (
            n.number_id < p.number_id AND NOT is_since
            OR n.number_id = p.number_id AND is_since AND EXISTS (
              SELECT FROM sending_number later
              WHERE p.phone_number_id IN (later.phone_number_id, later.former_phone_number_id) AND later.number_id > p.number_id
            )
          )
        )
      ORDER BY p.seq, told.at`,
    values: [
      questions.map((question) => question.organizationId),
      questions.map((question) => question.messageId),
      questions.map((question) => question.seq),
      questions.map((question) => question.phoneNumberId),
      questions.map((question) => question.contact),
      questions.map((question) => new Date(question.sinceMs)),
      questions.map((question) => question.numberId),
    ],
  });
}

type Hold = QueueKey & { unknownCount: number; holdUntilMs: number };

/** Notes until when these outcomes are held, unless they are no longer or for longer. All that waits may be held, in a restored queue. */
export async function lengthenHolds(db: Queryable, holds: readonly Hold[]): Promise<void> {
  for (const set of inSets(holds)) await lengthenSome(db, set);
}

async function lengthenSome(db: Queryable, holds: readonly Hold[]): Promise<void> {
  await db.query({
    name: 'queue_lengthen_holds',
    // `IS TRUE` keeps it from going through all that is held.
    text: `
      UPDATE send_queue q SET hold_until = h.hold_until
      FROM unnest($1::int[], $2::int[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::uuid[])
        AS h(number_id, flow_id, seq, unknown_count, hold_until, message_id)
      WHERE ${samePlace('q', 'h')} AND q.message_id = h.message_id
        AND q.unknown_count = h.unknown_count AND (q.hold_until < h.hold_until) IS TRUE`,
    values: [
      holds.map((hold) => hold.numberId),
      holds.map((hold) => hold.flowId),
      holds.map((hold) => hold.seq),
      holds.map((hold) => hold.unknownCount),
      holds.map((hold) => new Date(hold.holdUntilMs)),
      holds.map((hold) => hold.messageId),
    ],
  });
}

/** Which of these messages are no longer in the queue: whoever had them in flight when the shard changed hands has ended them. */
export async function listGone(db: Queryable, rows: QueueKey[]): Promise<number[]> {
  const gone = await db.query<{ seq: number }>({
    name: 'queue_list_gone',
    text: `
      SELECT r.seq FROM unnest($1::int[], $2::int[], $3::bigint[], $4::uuid[]) AS r(number_id, flow_id, seq, message_id)
      WHERE NOT EXISTS (
        SELECT FROM send_queue q
        WHERE ${samePlace('q', 'r')} AND q.message_id = r.message_id
      )`,
    values: [
      rows.map((row) => row.numberId),
      rows.map((row) => row.flowId),
      rows.map((row) => row.seq),
      rows.map((row) => row.messageId),
    ],
  });
  return gone.map((row) => row.seq);
}
