import { wamidDigest } from '../core/ids.ts';
import type { Queryable } from '../database/database.ts';
import { eventTypeNumber, TOLD_BIT } from '../events/index.ts';

/** A row of the send queue as the scheduler's owner reads it. */
export interface QueueRow {
  seq: number;
  numberId: number;
  flowId: number;
  contact: string;
  messageId: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  attempt: number;
  unknownCount: number;
  dueAtMs: number | null;
  holdUntilMs: number | null;
  /** Start of the attempt whose outcome is unknown; null when none is. */
  attemptedAtMs: number | null;
}

interface RawQueueRow extends Record<string, unknown> {
  seq: number;
  number_id: number;
  flow_id: number;
  contact: number;
  message_id: string;
  accepted_at: Date;
  expires_at: Date;
  attempt: number;
  unknown_count: number;
  due_at: Date | null;
  hold_until: Date | null;
  attempted_at: Date | null;
}

const COLUMNS =
  'seq, number_id, flow_id, contact, message_id, accepted_at, expires_at, attempt, unknown_count, due_at, hold_until, attempted_at';
const Q_COLUMNS = COLUMNS.split(', ')
  .map((column) => `q.${column}`)
  .join(', ');

function toQueueRow(row: RawQueueRow): QueueRow {
  return {
    seq: row.seq,
    numberId: row.number_id,
    flowId: row.flow_id,
    contact: String(row.contact),
    messageId: row.message_id,
    acceptedAtMs: row.accepted_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    attempt: row.attempt,
    unknownCount: row.unknown_count,
    dueAtMs: row.due_at?.getTime() ?? null,
    holdUntilMs: row.hold_until?.getTime() ?? null,
    attemptedAtMs: row.attempted_at?.getTime() ?? null,
  };
}

/** The next rows of flows after their cursors, `limit` each: a cursor read, blind to whatever lies dead to its left. */
export async function listFlowRows(
  db: Queryable,
  cursors: { numberId: number; flowId: number; afterSeq: number; limit: number }[],
): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_flow_rows',
    text: `
      SELECT ${Q_COLUMNS}
      FROM unnest($1::int[], $2::int[], $3::bigint[], $4::int[]) AS c(number_id, flow_id, after_seq, rows_max)
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM send_queue
        WHERE number_id = c.number_id AND flow_id = c.flow_id AND seq > c.after_seq
        ORDER BY seq LIMIT c.rows_max
      ) q`,
    values: [
      cursors.map((cursor) => cursor.numberId),
      cursors.map((cursor) => cursor.flowId),
      cursors.map((cursor) => cursor.afterSeq),
      cursors.map((cursor) => cursor.limit),
    ],
  });
  return rows.map(toQueueRow);
}

/** The next rows of single recipients after their cursors, `limit` each, in order, whatever flow they belong to. */
export async function listRecipientRows(
  db: Queryable,
  cursors: { numberId: number; contact: string; afterSeq: number; limit: number }[],
): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_recipient_rows',
    text: `
      SELECT ${Q_COLUMNS}
      FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[]) AS c(number_id, contact, after_seq, rows_max)
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM send_queue
        WHERE number_id = c.number_id AND contact = c.contact AND seq > c.after_seq
        ORDER BY seq LIMIT c.rows_max
      ) q`,
    values: [
      cursors.map((cursor) => cursor.numberId),
      cursors.map((cursor) => cursor.contact),
      cursors.map((cursor) => cursor.afterSeq),
      cursors.map((cursor) => cursor.limit),
    ],
  });
  return rows.map(toQueueRow);
}

/**
 * The first `limit` rows of every flow of these shards, for taking them over. A loose index scan steps from flow to flow, so
 * the cost follows the number of flows, not of waiting messages.
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

/** Rows of these shards whose outcome is unknown, wherever they stand in their flows. */
export async function listHeldRows(db: Queryable, shards: number[]): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_held',
    text: `SELECT ${COLUMNS} FROM send_queue WHERE shard = ANY($1::smallint[]) AND hold_until IS NOT NULL ORDER BY seq`,
    values: [shards],
  });
  return rows.map(toQueueRow);
}

/** Where a discovery stands within one shard: everything up to and including this row has been read. */
export interface DiscoveryCursor {
  shard: number;
  xid: string;
  seq: number;
}

/** One page of a discovery: rows in no particular order, the horizon of its snapshot, and the shards that have more. */
export interface Discovery {
  horizon: string;
  rows: QueueRow[];
  unfinished: DiscoveryCursor[];
}

const DISCOVERY_PAGE_ROWS = 500;

/**
 * Rows that appeared in these shards after their cursors: those other nodes accepted, or with `includeOwn` all of them. A first
 * page starts at a transaction horizon (`xid`, with `seq` 0). A transaction still open when that horizon was taken has an id at
 * least as high, so whatever it commits later is found from the same horizon on: commit order cannot hide a row, as it would
 * from a cursor over `seq`. Pages bound what is held in memory when very much is found.
 */
export async function discoverRows(
  db: Queryable,
  cursors: DiscoveryCursor[],
  nodeId: string,
  includeOwn: boolean,
): Promise<Discovery> {
  const rows = await db.query<RawQueueRow & { horizon: string; shard: number | null; xid: string }>({
    name: 'queue_discover',
    text: `
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, q.shard, q.xid::text AS xid, ${Q_COLUMNS}
      FROM (SELECT) one
      LEFT JOIN (
        unnest($1::smallint[], $2::xid8[], $3::bigint[]) AS c(shard, xid, seq)
        CROSS JOIN LATERAL (
          SELECT s.shard, s.xid, ${COLUMNS.split(', ')
            .map((column) => `s.${column}`)
            .join(', ')}
          FROM send_queue s
          WHERE s.shard = c.shard AND (s.xid, s.seq) > (c.xid, c.seq) AND ($5 OR s.accepted_by <> $4)
          ORDER BY s.xid, s.seq LIMIT ${DISCOVERY_PAGE_ROWS}
        ) q
      ) ON true`,
    values: [
      cursors.map((cursor) => cursor.shard),
      cursors.map((cursor) => cursor.xid),
      cursors.map((cursor) => cursor.seq),
      nodeId,
      includeOwn,
    ],
  });
  const found = rows.filter((row) => row.shard !== null);
  const unfinished = [...Map.groupBy(found, (row) => row.shard)].flatMap(([shard, page]) => {
    const last = page.at(-1);
    return shard === null || last === undefined || page.length < DISCOVERY_PAGE_ROWS
      ? []
      : [{ shard, xid: last.xid, seq: last.seq }];
  });
  return { horizon: rows[0]?.horizon ?? '0', rows: found.map(toQueueRow), unfinished };
}

/** The transaction horizon now: everything committed later has at least this id. */
export async function readHorizon(db: Queryable): Promise<string> {
  const rows = await db.query<{ horizon: string }>({
    name: 'queue_horizon',
    text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  });
  return rows[0]?.horizon ?? '0';
}

/** One message about to be sent. */
export interface JournalEntry {
  organizationId: string;
  messageId: string;
  shard: number;
  numberId: number;
  flowId: number;
  seq: number;
  contact: string;
  /** Whether the text has to be read, because this process no longer has it. */
  needsBody: boolean;
  /** See `savePairDebt`; null for pairs that have hardly used any of their burst. */
  pairFreeAtMs: number | null;
}

export interface Journaled {
  seq: number;
  expiresAtMs: number;
  attempt: number;
  unknownCount: number;
  /** W3C trace context of the request that was accepted. */
  traceparent: string | null;
  body: string | null;
}

/**
 * Writes down what is about to be sent, and is the fence: it succeeds only while every shard named is still leased to this
 * owner under the epoch it knows. Answers the rows that are still queued, with their texts where asked for; undefined when a
 * lease is lost, and then nothing may be sent. A row that is gone was settled already and is left out of the answer.
 *
 * The row locks on the leases hold off a takeover between this check and the commit. What pairs have used of their burst is
 * written along, so that no crash lets a new owner grant it again.
 */
export async function journalDispatch(
  db: Queryable,
  owner: string,
  batch: number,
  epochs: { shard: number; epoch: number }[],
  entries: JournalEntry[],
): Promise<Map<number, Journaled> | undefined> {
  const rows = await db.query<{
    leases: number;
    seq: number | null;
    expires_at: Date;
    attempt: number;
    unknown_count: number;
    traceparent: string | null;
    body: string | null;
  }>({
    name: 'dispatch_journal_write',
    text: `
      WITH lease AS (
        SELECT l.shard FROM unnest($3::smallint[], $4::bigint[]) AS e(shard, epoch)
        JOIN shard_lease l USING (shard, epoch)
        WHERE l.owner = $1 AND l.expires_at > now()
        ORDER BY l.shard FOR NO KEY UPDATE OF l
      ),
      held AS (SELECT count(*)::int AS leases FROM lease),
      entry AS MATERIALIZED (
        SELECT * FROM unnest($5::uuid[], $6::uuid[], $7::smallint[], $8::int[], $9::int[], $10::bigint[], $11::boolean[],
                             $12::bigint[], $13::timestamptz[])
          AS i(organization_id, message_id, shard, number_id, flow_id, seq, needs_body, contact, free_at)
      ),
      journal AS (
        INSERT INTO dispatch_journal (shard, owner, batch, number_ids, flow_ids, seqs)
        SELECT shard, $1, $2, array_agg(number_id), array_agg(flow_id), array_agg(seq)
        FROM entry, held WHERE held.leases = cardinality($3::smallint[])
        GROUP BY shard
      ),
      debt AS (
        INSERT INTO pair_debt (number_id, contact, free_at)
        SELECT number_id, contact, free_at FROM entry, held
        WHERE free_at IS NOT NULL AND held.leases = cardinality($3::smallint[])
        ORDER BY number_id, contact
        ON CONFLICT (number_id, contact) DO UPDATE SET free_at = excluded.free_at WHERE pair_debt.free_at < excluded.free_at
      ),
      queued AS (
        SELECT q.seq, q.expires_at, q.attempt, q.unknown_count, q.traceparent, m.body
        FROM entry e
        JOIN send_queue q ON q.number_id = e.number_id AND q.flow_id = e.flow_id AND q.seq = e.seq
        LEFT JOIN message m ON e.needs_body AND m.organization_id = e.organization_id AND m.id = e.message_id
      )
      SELECT held.leases, queued.* FROM held LEFT JOIN queued ON true`,
    values: [
      owner,
      batch,
      epochs.map((lease) => lease.shard),
      epochs.map((lease) => lease.epoch),
      entries.map((entry) => entry.organizationId),
      entries.map((entry) => entry.messageId),
      entries.map((entry) => entry.shard),
      entries.map((entry) => entry.numberId),
      entries.map((entry) => entry.flowId),
      entries.map((entry) => entry.seq),
      entries.map((entry) => entry.needsBody),
      entries.map((entry) => entry.contact),
      entries.map((entry) => (entry.pairFreeAtMs === null ? null : new Date(entry.pairFreeAtMs))),
    ],
  });
  if (rows[0]?.leases !== epochs.length) return undefined;
  const journaled = new Map<number, Journaled>();
  for (const row of rows) {
    if (row.seq === null) continue;
    journaled.set(row.seq, {
      seq: row.seq,
      expiresAtMs: row.expires_at.getTime(),
      attempt: row.attempt,
      unknownCount: row.unknown_count,
      traceparent: row.traceparent,
      body: row.body,
    });
  }
  return journaled;
}

/** Names a journal row: finished when every message of it has its result recorded. */
export interface JournalKey {
  shard: number;
  batch: number;
}

/** A message that will not be sent again: accepted by the upstream, or failed for good. */
export interface Completion {
  organizationId: string;
  messageId: string;
  numberId: number;
  flowId: number;
  seq: number;
  atMs: number;
  result: { kind: 'sent'; wamid: string } | { kind: 'failed'; errorCode: string; errorMessage: string };
}

/** A message that stays queued with something to remember about it. */
export interface Postponement {
  numberId: number;
  flowId: number;
  seq: number;
  attempt: number;
  unknownCount: number;
  dueAtMs: number | null;
  /** Set together with `attemptedAtMs` for a message whose outcome is unknown. */
  holdUntilMs: number | null;
  attemptedAtMs: number | null;
}

/**
 * Records results in one statement: messages get wamid and status, events tell of it, queue rows go, finished journal rows go,
 * usage follows. The
 * journal row is the last thing that says a message may have been sent, so it goes with the result and not before. Answers
 * whether statuses for any of these wamids came early and wait to be applied.
 */
export async function recordCompletions(
  db: Queryable,
  owner: string,
  completions: Completion[],
  finished: JournalKey[],
): Promise<{ earlyStatuses: boolean }> {
  const rows = await db.query<{ early: boolean }>({
    name: 'dispatch_record_completions',
    text: `
      WITH result AS MATERIALIZED (
        SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::bigint[], $7::timestamptz[], $8::text[],
                             $9::uuid[], $10::text[], $11::text[])
          AS r(organization_id, message_id, number_id, flow_id, seq, at, wamid, wamid_digest, error_code, error_message)
        ORDER BY organization_id, message_id
      ),
      journal AS (
        DELETE FROM dispatch_journal j USING unnest($12::smallint[], $13::int[]) AS f(shard, batch)
        WHERE j.shard = f.shard AND j.owner = $1 AND j.batch = f.batch
      ),
      gone AS (
        DELETE FROM send_queue q USING result r
        WHERE q.number_id = r.number_id AND q.flow_id = r.flow_id AND q.seq = r.seq
      ),
      ref AS (
        INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
        SELECT wamid_digest, organization_id, message_id FROM result WHERE wamid IS NOT NULL
        ORDER BY wamid_digest
        ON CONFLICT DO NOTHING
      ),
      updated AS (
        UPDATE message m
        SET status = CASE WHEN r.wamid IS NOT NULL THEN greatest(m.status, 1) ELSE 4 END,
            wamid = coalesce(m.wamid, r.wamid),
            sent_at = CASE WHEN r.wamid IS NOT NULL THEN coalesce(m.sent_at, r.at) ELSE m.sent_at END,
            failed_at = CASE WHEN r.wamid IS NULL THEN r.at ELSE m.failed_at END,
            error_code = r.error_code,
            error_message = r.error_message,
            event_count = m.event_count + 1,
            told = m.told | CASE WHEN r.wamid IS NOT NULL THEN ${TOLD_BIT.sent} ELSE ${TOLD_BIT.failed} END,
            event_xid = greatest(m.event_xid, pg_current_xact_id())
        FROM result r
        WHERE m.organization_id = r.organization_id AND m.id = r.message_id AND m.status = 0
        RETURNING m.organization_id, m.id, m.number_id, m.accepted_at, m.price_micros, m.category, m.pricing_type, m.event_xid,
                  m.event_count, r.at, r.error_code, r.error_message, (r.wamid IS NOT NULL) AS sent
      ),
      event_row AS (
        INSERT INTO event (organization_id, subject_id, xid, number_id, type, sequence, occurred_at, category, pricing_type,
                           error_code, error_message)
        SELECT organization_id, id, event_xid, number_id,
               CASE WHEN sent THEN ${eventTypeNumber('message.sent')} ELSE ${eventTypeNumber('message.failed')} END,
               event_count, at, category, pricing_type, error_code, error_message
        FROM updated
      ),
      counted AS (
        INSERT INTO usage_counter (organization_id, month, metric, value)
        SELECT organization_id, date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date, metric, sum(amount)
        FROM updated, LATERAL (VALUES
          ('sent', sent::int), ('failed', (NOT sent)::int), ('spent_micros', -(NOT sent)::int * price_micros)
        ) AS c(metric, amount)
        WHERE amount <> 0
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = usage_counter.value + excluded.value
      )
      SELECT EXISTS (SELECT FROM early_status e JOIN result r USING (wamid_digest)) AS early`,
    values: [
      owner,
      completions.map((completion) => completion.organizationId),
      completions.map((completion) => completion.messageId),
      completions.map((completion) => completion.numberId),
      completions.map((completion) => completion.flowId),
      completions.map((completion) => completion.seq),
      completions.map((completion) => new Date(completion.atMs)),
      completions.map(({ result }) => (result.kind === 'sent' ? result.wamid : null)),
      completions.map(({ result }) => (result.kind === 'sent' ? wamidDigest(result.wamid) : null)),
      completions.map(({ result }) => (result.kind === 'failed' ? result.errorCode : null)),
      completions.map(({ result }) => (result.kind === 'failed' ? result.errorMessage : null)),
      finished.map((journal) => journal.shard),
      finished.map((journal) => journal.batch),
    ],
  });
  return { earlyStatuses: rows[0]?.early ?? false };
}

/**
 * Notes retries and holds on their queue rows: the rare case in which a waiting row is written. A row that has had more unknown
 * outcomes than the writer knows of has another owner by now, who knows better.
 */
export async function recordPostponements(db: Queryable, postponements: Postponement[]): Promise<void> {
  const at = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs));
  await db.query({
    name: 'queue_record_postponements',
    text: `
      UPDATE send_queue q
      SET attempt = p.attempt, unknown_count = p.unknown_count, due_at = p.due_at, hold_until = p.hold_until,
          attempted_at = p.attempted_at
      FROM unnest($1::int[], $2::int[], $3::bigint[], $4::smallint[], $5::smallint[], $6::timestamptz[], $7::timestamptz[],
                  $8::timestamptz[])
        AS p(number_id, flow_id, seq, attempt, unknown_count, due_at, hold_until, attempted_at)
      WHERE q.number_id = p.number_id AND q.flow_id = p.flow_id AND q.seq = p.seq AND q.unknown_count <= p.unknown_count`,
    values: [
      postponements.map((row) => row.numberId),
      postponements.map((row) => row.flowId),
      postponements.map((row) => row.seq),
      postponements.map((row) => row.attempt),
      postponements.map((row) => row.unknownCount),
      postponements.map((row) => at(row.dueAtMs)),
      postponements.map((row) => at(row.holdUntilMs)),
      postponements.map((row) => at(row.attemptedAtMs)),
    ],
  });
}

/** How long unknown outcomes wait for a status, in milliseconds. */
export interface HoldTimes {
  ordinaryMs: number;
  authenticationMs: number;
}

/**
 * Makes everything these shards' journals name an unknown outcome and clears the journals: for a shard just taken over.
 * Whoever wrote a row, this process before it lost the shard included, the message may have been sent. The time that nobody
 * had the shards, `gapMs`, does not count for the holds that were open.
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
            ELSE $2::timestamptz + CASE WHEN q.flow_id % 4 = 0 THEN $4::float8 ELSE $3::float8 END * interval '1 millisecond' END,
          attempted_at = coalesce(q.attempted_at, open.at),
          unknown_count = q.unknown_count + (q.hold_until IS NULL)::int
      FROM open
      WHERE q.number_id = open.number_id AND q.flow_id = open.flow_id AND q.seq = open.seq`,
    values: [shards, new Date(nowMs), times.ordinaryMs, times.authenticationMs, gapMs],
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

/** How far pairs have drawn on their burst, so that a new owner does not grant it again. Times that have passed are removed. */
export async function savePairDebt(
  db: Queryable,
  debts: { numberId: number; contact: string; freeAtMs: number }[],
): Promise<void> {
  await db.query({
    name: 'pair_debt_save',
    text: `
      WITH passed AS (DELETE FROM pair_debt WHERE free_at < now() - interval '10 minutes')
      INSERT INTO pair_debt (number_id, contact, free_at)
      SELECT * FROM unnest($1::int[], $2::bigint[], $3::timestamptz[]) AS d(number_id, contact, free_at) ORDER BY 1, 2
      ON CONFLICT (number_id, contact) DO UPDATE SET free_at = excluded.free_at WHERE pair_debt.free_at < excluded.free_at`,
    values: [
      debts.map((debt) => debt.numberId),
      debts.map((debt) => debt.contact),
      debts.map((debt) => new Date(debt.freeAtMs)),
    ],
  });
}

/** Debts of these numbers' pairs that still hold. */
export async function listPairDebt(
  db: Queryable,
  numberIds: number[],
): Promise<{ numberId: number; contact: string; freeAtMs: number }[]> {
  const rows = await db.query<{ number_id: number; contact: number; free_at: Date }>({
    name: 'pair_debt_list',
    text: 'SELECT number_id, contact, free_at FROM pair_debt WHERE number_id = ANY($1::int[]) AND free_at > now()',
    values: [numberIds],
  });
  return rows.map((row) => ({
    numberId: row.number_id,
    contact: String(row.contact),
    freeAtMs: row.free_at.getTime(),
  }));
}

/** The oldest messages of a number that have outlived their time, waiting ones only, flow by flow from the left. */
export async function listExpired(
  db: Queryable,
  numberIds: number[],
  nowMs: number,
  limit: number,
): Promise<QueueRow[]> {
  const rows = await db.query<RawQueueRow>({
    name: 'queue_list_expired',
    text: `
      WITH RECURSIVE flow AS (
        SELECT n.number_id, f.flow_id
        FROM unnest($1::int[]) AS n(number_id)
        CROSS JOIN LATERAL (SELECT flow_id FROM send_queue q WHERE q.number_id = n.number_id ORDER BY flow_id LIMIT 1) f
        UNION ALL
        SELECT flow.number_id, f.flow_id
        FROM flow
        CROSS JOIN LATERAL (
          SELECT flow_id FROM send_queue q WHERE q.number_id = flow.number_id AND q.flow_id > flow.flow_id ORDER BY flow_id LIMIT 1
        ) f
      )
      SELECT ${Q_COLUMNS}
      FROM flow CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM send_queue
        WHERE number_id = flow.number_id AND flow_id = flow.flow_id
        ORDER BY seq LIMIT $3
      ) q
      WHERE q.expires_at <= $2 AND q.hold_until IS NULL`,
    values: [numberIds, new Date(nowMs), limit],
  });
  return rows.map(toQueueRow);
}
