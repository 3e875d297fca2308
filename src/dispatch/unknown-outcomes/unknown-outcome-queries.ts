import { otherSpellingOf } from '../../core/phone-number.ts';
import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import type { HeldShard } from '../../leases/index.ts';
import { INTERRUPTED } from '../outcomes/attempt-note.ts';
import { HOLD_TIMES } from '../outcomes/outcome-policy.ts';
import { type QueueKey, samePlace } from '../queue/queue-row.ts';
import { listByClass, valueOfClassSql } from '../scheduler/index.ts';

/** The number of batches that a process has journaled, and the seqs of their messages that are still in flight. */
export interface OwnJournals {
  batches: number;
  inFlight: readonly number[];
}

/** Shards just taken over, their new owner, and the journals of that same process from before. */
export interface Takeover extends OwnJournals {
  owner: string;
  shards: readonly HeldShard[];
}

/** The shards of a statement, after its eight other parameters. */
export const TAKEN = arrayTable<Pick<HeldShard, 'shard' | 'epoch'>>(9)({
  shard: ['smallint', ({ shard }) => shard],
  epoch: ['bigint', ({ epoch }) => epoch],
});

/**
 * Turns every message in the journals of shards just taken over into an unknown outcome, and clears the journals. A message named by any
 * row may have been sent. The exception is this process's own rows from before it lost the shard: it knows which of their messages are no
 * longer in flight.
 * A hold starts at `nowMs`. It lasts at least as long as its attempt is old by the platform's clock, up to the limit for waits after a gap.
 * Messages already held stay unchanged. Each newly held message gets an attempt on its timeline; returns the number of these messages.
 *
 * The previous owner may be recording results at the same time. Rows are therefore locked in the same order as in `recordCompletions`;
 * without this, the two statements deadlock.
 *
 * The server may run this statement long after its connection was given up. It therefore ignores rows that its owner has journaled since,
 * and every shard that has a newer lease.
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
        SELECT shard FROM ${TAKEN.from('t')}
        JOIN shard_lease l USING (shard, epoch)
        WHERE l.owner = $1
      ),
      named AS MATERIALIZED (
        SELECT j.ctid AS place FROM dispatch_journal j JOIN lease USING (shard)
        WHERE j.owner <> $1 OR j.batch <= $2
        ORDER BY j.shard, j.batch FOR UPDATE OF j
      ),
      journal AS (
        DELETE FROM dispatch_journal j USING named WHERE j.ctid = named.place RETURNING owner, number_ids, flow_ids, seqs, at
      ),
      attempt AS (
        SELECT j.number_id, j.flow_id, j.seq, min(journal.at) AS at
        FROM journal, unnest(number_ids, flow_ids, seqs) AS j(number_id, flow_id, seq)
        WHERE journal.owner <> $1 OR j.seq IN (SELECT unnest($8::bigint[]))
        GROUP BY j.number_id, j.flow_id, j.seq
      ),
      waiting AS MATERIALIZED (
        SELECT q.number_id, q.flow_id, q.seq, attempt.at FROM attempt JOIN send_queue q ON ${samePlace('q', 'attempt')}
        WHERE q.hold_until IS NULL
        -- Sorted by the attempt's columns: by the queue's own columns, the planner could walk a whole index for their order.
        ORDER BY attempt.number_id, attempt.flow_id, attempt.seq FOR NO KEY UPDATE OF q
      ),
      held AS (
        UPDATE send_queue q
        SET hold_until = $3::timestamptz + greatest(
              ${valueOfClassSql('$5::float8[]', 'q.flow_id')} * interval '1 millisecond',
              least($4::timestamptz - w.at, $6 * interval '1 millisecond')
            ),
            attempted_at = w.at,
            unknown_count = q.unknown_count + 1
        FROM waiting w
        WHERE ${samePlace('q', 'w')}
        -- Timelines use the clock of this process.
        RETURNING q.number_id, q.message_id, q.attempted_at + ($3::timestamptz - $4::timestamptz) AS shown_at, q.hold_until
      ),
      noted AS (
        INSERT INTO send_attempt (organization_id, message_id, at, outcome, error_message, next_at)
        SELECT n.organization_id, held.message_id, held.shown_at, 'unknown', $7, held.hold_until
        FROM held JOIN sending_number n USING (number_id)
        -- An attempt may be older than the oldest day kept. Without this, the takeover of its shard fails.
        WHERE to_regclass('send_attempt_' || to_char(held.shown_at AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL
        ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS held FROM held`,
    values: [
      owner,
      batches,
      new Date(nowMs),
      new Date(platformNowMs),
      listByClass(HOLD_TIMES.msOf),
      HOLD_TIMES.afterGapMsMax,
      INTERRUPTED,
      inFlight,
      ...TAKEN.values(shards),
    ],
  });
  return row?.held ?? 0;
}

/** An unknown outcome, with the earliest time at which a status may belong to it. */
export interface OpenQuestion {
  organizationId: string;
  messageId: string;
  seq: number;
  numberId: number;
  phoneNumberId: string;
  contact: string;
  sinceMs: number;
}

export const QUESTIONS = arrayTable<OpenQuestion>()({
  organization_id: ['uuid', (question) => question.organizationId],
  message_id: ['uuid', (question) => question.messageId],
  seq: ['bigint', (question) => question.seq],
  phone_number_id: ['text', (question) => question.phoneNumberId],
  contact: ['bigint', (question) => question.contact],
  since: ['timestamptz', (question) => new Date(question.sinceMs)],
  number_id: ['int', (question) => question.numberId],
  respelt: ['bigint', ({ contact }) => otherSpellingOf(contact)],
});

/**
 * Returns the earliest status that settles each unknown outcome. Such a status is about the same number and person, is stamped after the
 * attempt began, and has a wamid that is not recorded yet. It also carries exactly the message's callback data; an empty one counts as
 * none.
 * The platform's stamp counts, not the time of arrival. Without this, a late status of an earlier attempt would settle this one.
 * If the number was connected again, by any organization, statuses stamped since its release belong to the later number's messages.
 * Statuses stamped before the release belong to the earlier number's messages.
 */
export async function findSettlingStatuses(
  db: Queryable,
  questions: OpenQuestion[],
): Promise<{ seq: number; wamid: string; at: Date }[]> {
  return await db.query<{ seq: number; wamid: string; at: Date }>({
    name: 'early_status_find_settling',
    text: `
      SELECT DISTINCT ON (p.seq) p.seq, e.wamid, reported.at
      FROM ${QUESTIONS.from('p')}
      JOIN message m ON m.organization_id = p.organization_id AND m.id = p.message_id
      CROSS JOIN LATERAL (
        -- A node of an earlier version may have queued the message under another spelling of the number.
        SELECT unnest(ARRAY[p.contact, p.respelt]) AS contact
        UNION ALL
        -- Keys of records that were merged into this one while the status came.
        SELECT a.alias::bigint FROM sending_number n
        JOIN person_alias a ON a.organization_id = n.organization_id AND a.person = p.contact
          AND a.waba_id = coalesce(n.waba_id, n.former_waba_id)
        WHERE n.number_id = p.number_id AND a.kind = 0 AND a.alias <> p.contact::text
      ) k
      JOIN early_status e ON e.phone_number_id = p.phone_number_id AND e.contact = k.contact
      CROSS JOIN LATERAL (SELECT least(e.sent_at, e.delivered_at, e.read_at, e.failed_at) AS at) reported
      WHERE reported.at >= p.since
        AND e.callback_data IS NOT DISTINCT FROM nullif(m.callback_data, '')
        AND NOT EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = e.wamid_digest)
        AND NOT EXISTS (
          SELECT FROM sending_number n
          -- The platform stamps whole seconds.
          CROSS JOIN LATERAL (SELECT reported.at >= date_trunc('second', n.released_at) AS is_since) stamped
          WHERE n.former_phone_number_id = p.phone_number_id AND (
            n.number_id < p.number_id AND NOT is_since
            OR n.number_id = p.number_id AND is_since AND EXISTS (
              SELECT FROM sending_number later
              WHERE p.phone_number_id IN (later.phone_number_id, later.former_phone_number_id) AND later.number_id > p.number_id
            )
          )
        )
      ORDER BY p.seq, reported.at`,
    values: QUESTIONS.values(questions),
  });
}

type Hold = QueueKey & { unknownCount: number; holdUntilMs: number };

const KEY = {
  number_id: ['int', (row) => row.numberId],
  flow_id: ['int', (row) => row.flowId],
  seq: ['bigint', (row) => row.seq],
  message_id: ['uuid', (row) => row.messageId],
} satisfies Columns<QueueKey>;
export const HOLDS = arrayTable<Hold>()({
  ...KEY,
  unknown_count: ['smallint', (hold) => hold.unknownCount],
  hold_until: ['timestamptz', (hold) => new Date(hold.holdUntilMs)],
});
export const QUEUE_KEYS = arrayTable<QueueKey>()(KEY);

/**
 * Stores how long these outcomes are held, unless a hold has ended or already lasts longer. In a restored queue every waiting message may
 * be held.
 */
export async function lengthenHolds(db: Queryable, holds: readonly Hold[]): Promise<void> {
  for (const set of inSets(holds)) await lengthenSome(db, set);
}

async function lengthenSome(db: Queryable, holds: readonly Hold[]): Promise<void> {
  await db.query({
    name: 'queue_lengthen_holds',
    // `IS TRUE` keeps the planner from scanning every held row.
    text: `
      UPDATE send_queue q SET hold_until = h.hold_until
      FROM ${HOLDS.from('h')}
      WHERE ${samePlace('q', 'h')} AND q.message_id = h.message_id
        AND q.unknown_count = h.unknown_count AND (q.hold_until < h.hold_until) IS TRUE`,
    values: HOLDS.values(holds),
  });
}

/** Returns the messages that are no longer in the queue: the node that had them in flight when the shard changed hands has ended them. */
export async function listGone(db: Queryable, rows: QueueKey[]): Promise<number[]> {
  const gone = await db.query<{ seq: number }>({
    name: 'queue_list_gone',
    text: `
      SELECT r.seq FROM ${QUEUE_KEYS.from('r')}
      WHERE NOT EXISTS (
        SELECT FROM send_queue q
        WHERE ${samePlace('q', 'r')} AND q.message_id = r.message_id
      )`,
    values: QUEUE_KEYS.values(rows),
  });
  return gone.map((row) => row.seq);
}
