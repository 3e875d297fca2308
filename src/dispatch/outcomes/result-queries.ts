import { wamidDigest } from '../../core/ids.ts';
import { arrayRows } from '../../database/batching/array-rows.ts';
import { sameKey } from '../../database/batching/same-key.ts';
import type { Queryable } from '../../database/database.ts';
import { groupByMessageTable, type MessageTable, messageTableAt, nameFor } from '../../database/days/message-tables.ts';
import { eventTypeNumber, heldBackSql, TOLD_BIT } from '../../events/index.ts';
import { addUsage } from '../../organizations/index.ts';
import { type QueueKey, type QueueRow, samePlace } from '../queue/queue-row.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';

/** Names a journal row: finished when every message of it has its result recorded. */
export interface JournalKey {
  shard: number;
  batch: number;
}

/** A message that will not be sent again: accepted by the upstream, or failed for good. */
export interface Completion extends QueueKey {
  organizationId: string;
  atMs: number;
  result: DispatchOutcome;
}

/** A message that stays queued with something to remember about it. */
export interface Postponement extends Omit<QueueRow, 'contact' | 'acceptedAtMs'> {
  /** Start of an attempt held as unknown that is known not to have been taken: its hold and its count are taken back. */
  undoneAtMs?: number | undefined;
}

/**
 * Records results: messages get wamid and status, events tell of it, queue rows go, finished journal rows go, usage follows. The
 * journal row is the last thing that says a message may have been sent, so it goes with the last result and not before. Answers the
 * digests of those wamids for which statuses came early and wait to be applied. It can be repeated as a whole.
 *
 * A statement for each day the messages are of, mostly one; `nowMs` (epoch ms) tells which days go by name. Ranges of ids as
 * parameters would do as well, were it not that PostgreSQL 18 can crash where the days of a table are chosen both ways, by
 * parameters and by what is joined.
 */
export async function recordCompletions(
  db: Queryable,
  owner: string,
  completions: readonly Completion[],
  finished: readonly JournalKey[],
  nowMs: number,
): Promise<string[]> {
  const groups = groupByMessageTable(completions, (completion) => completion.messageId, nowMs);
  const last = groups.pop() ?? { table: messageTableAt(nowMs, nowMs), items: [] };
  const early: string[] = [];
  for (const { table, items } of groups) early.push(...(await recordInTable(db, table, owner, items, [])));
  return [...early, ...(await recordInTable(db, last.table, owner, last.items, finished))];
}

const RESULT = `organization_id uuid, message_id uuid, number_id int, flow_id int, seq bigint, at timestamptz, wamid text,
  wamid_digest uuid, error_code text, error_message text, error_user_title text, error_user_msg text, told_at timestamptz,
  upstream_status text`;

async function recordInTable(
  db: Queryable,
  table: MessageTable,
  owner: string,
  completions: readonly Completion[],
  finished: readonly JournalKey[],
): Promise<string[]> {
  const rows = await db.query<{ wamid_digest: string }>({
    name: nameFor('dispatch_record_completions', table),
    text: `
      WITH result AS MATERIALIZED (
        SELECT * FROM (${arrayRows(RESULT, 4)}) r ORDER BY organization_id, message_id
      ),
      journal AS (
        DELETE FROM dispatch_journal j
        USING (SELECT *, $1::uuid AS owner FROM (${arrayRows('shard smallint, batch bigint', 2)}) f ORDER BY shard, batch) f
        WHERE ${sameKey('j', 'f', ['shard', 'owner', 'batch'])}
        RETURNING 1
      ),
      place AS MATERIALIZED (
        SELECT number_id, flow_id, seq, message_id FROM result ORDER BY number_id, flow_id, seq
      ),
      gone AS (
        DELETE FROM send_queue q USING place r
        -- What is numbered so may be another message by now: see journalDispatch.
        WHERE ${samePlace('q', 'r')} AND q.message_id = r.message_id
          -- After the journal, and in this order, as a takeover takes them (holdJournaled).
          AND (SELECT count(*) FROM journal) >= 0
      ),
      ref AS (
        INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
        SELECT wamid_digest, organization_id, message_id FROM result WHERE wamid IS NOT NULL
        ORDER BY wamid_digest
        ON CONFLICT DO NOTHING
      ),
      updated AS (
        UPDATE ${table.name} m
        SET status = CASE WHEN r.wamid IS NOT NULL THEN 1 ELSE 4 END,
            wamid = r.wamid,
            upstream_status = r.upstream_status,
            sent_at = CASE WHEN r.wamid IS NOT NULL THEN coalesce(r.told_at, r.at) END,
            failed_at = CASE WHEN r.wamid IS NULL THEN r.at END,
            error_code = r.error_code,
            error_message = r.error_message,
            error_user_title = r.error_user_title,
            error_user_msg = r.error_user_msg,
            event_count = m.event_count + 1,
            -- The webhook that reports a message held back as sent still makes an event.
            told = CASE WHEN r.wamid IS NULL THEN ${TOLD_BIT.failed} WHEN ${heldBackSql('r.upstream_status')} THEN 0 ELSE ${TOLD_BIT.sent} END,
            event_xid = greatest(m.event_xid, pg_current_xact_id())
        FROM result r
        WHERE m.organization_id = r.organization_id AND m.id = r.message_id AND m.status = 0
        RETURNING m.organization_id, m.id, m.number_id, m.accepted_at, m.price_micros, m.category, m.pricing_type, m.event_xid,
                  m.event_count, r.at, r.error_code, r.error_message, (r.wamid IS NOT NULL) AS sent, r.told_at,
                  r.upstream_status
      ),
      event_row AS (
        INSERT INTO event (organization_id, subject_id, xid, number_id, type, sequence, occurred_at, category, pricing_type,
                           error_code, error_message, upstream_field, upstream_status)
        SELECT organization_id, id, event_xid, number_id,
               CASE WHEN sent THEN ${eventTypeNumber('message.sent')} ELSE ${eventTypeNumber('message.failed')} END,
               event_count, at, category, pricing_type, error_code, error_message, CASE WHEN told_at IS NOT NULL THEN 'messages' END,
               upstream_status
        FROM updated
      ),
      counted AS (
        ${addUsage(`
          SELECT organization_id, date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date AS month, metric, amount
          FROM updated, LATERAL (VALUES
            ('sent', sent::int), ('failed', (NOT sent)::int), ('spent_micros', -(NOT sent)::int * price_micros)
          ) AS c(metric, amount)`)}
      )
      SELECT wamid_digest FROM result r
      -- By each digest, which OFFSET makes sure of, for the reason \`sameKey\` gives.
      WHERE EXISTS (SELECT FROM early_status e WHERE e.wamid_digest = r.wamid_digest OFFSET 0)`,
    values: [
      owner,
      finished.map((journal) => journal.shard),
      finished.map((journal) => journal.batch),
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
      completions.map(({ result }) => (result.kind === 'failed' ? result.provider?.error_user_title : null)),
      completions.map(({ result }) => (result.kind === 'failed' ? result.provider?.error_user_msg : null)),
      completions.map(({ result }) =>
        result.kind === 'sent' && result.toldAtMs !== undefined ? new Date(result.toldAtMs) : null,
      ),
      completions.map(({ result }) => (result.kind === 'sent' ? result.upstreamStatus : null)),
    ],
  });
  return rows.map((row) => row.wamid_digest);
}

/**
 * Notes retries and holds on their queue rows: the rare case in which a waiting row is written. A row that has had more unknown
 * outcomes than the writer knows of has another owner by now, who knows better; so has one on which that one's hold of the same attempt
 * is over: held once more, it would wait for nobody. What is taken back is the hold of that very attempt. One of another message is
 * left alone: see `journalDispatch`.
 */
export async function recordPostponements(db: Queryable, owner: string, postponements: Postponement[]): Promise<void> {
  const at = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs));
  await db.query({
    name: 'queue_record_postponements',
    text: `
      UPDATE send_queue q
      SET attempt = p.attempt, unknown_count = p.unknown_count, due_at = p.due_at, hold_until = p.hold_until,
          attempted_at = p.attempted_at
      FROM unnest($1::int[], $2::int[], $3::bigint[], $4::smallint[], $5::smallint[], $6::timestamptz[], $7::timestamptz[],
                  $8::timestamptz[], $9::uuid[], $10::timestamptz[])
        AS p(number_id, flow_id, seq, attempt, unknown_count, due_at, hold_until, attempted_at, message_id, undone_at)
      WHERE ${samePlace('q', 'p')} AND q.message_id = p.message_id
        AND CASE WHEN p.undone_at IS NULL THEN
          q.unknown_count <= p.unknown_count
          AND (q.unknown_count < p.unknown_count OR p.hold_until IS NULL OR q.hold_until IS NOT NULL
               OR EXISTS (SELECT FROM shard_lease l WHERE l.shard = q.shard AND l.owner = $11))
        ELSE q.hold_until IS NOT NULL AND q.attempted_at = p.undone_at END`,
    values: [
      postponements.map((row) => row.numberId),
      postponements.map((row) => row.flowId),
      postponements.map((row) => row.seq),
      postponements.map((row) => row.attempt),
      postponements.map((row) => row.unknownCount),
      postponements.map((row) => at(row.dueAtMs)),
      postponements.map((row) => at(row.holdUntilMs)),
      postponements.map((row) => at(row.attemptedAtMs)),
      postponements.map((row) => row.messageId),
      postponements.map((row) => at(row.undoneAtMs ?? null)),
      owner,
    ],
  });
}
