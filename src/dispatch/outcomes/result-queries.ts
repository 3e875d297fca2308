import { wamidDigest } from '../../core/ids.ts';
import { arrayTable } from '../../database/batching/array-table.ts';
import { sameKey } from '../../database/batching/same-key.ts';
import type { Queryable } from '../../database/database.ts';
import { groupByMessageTable, type MessageTable, messageTableAt, nameFor } from '../../database/days/message-tables.ts';
import { addEvents, eventTypeNumber, heldBackSql, TOLD_BIT } from '../../events/index.ts';
import { addUsage, billingMonthSql, metricRows } from '../../organizations/index.ts';
import { type QueueKey, type QueueRow, samePlace } from '../queue/queue-row.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';

/** Key of a journal row. The row is finished when the result of each of its messages is recorded. */
export interface JournalKey {
  shard: number;
  batch: number;
}

/** A message that will not be sent again: accepted by the platform, or failed for good. */
export interface Completion extends QueueKey {
  organizationId: string;
  atMs: number;
  result: DispatchOutcome;
}

/** A message that stays queued with changed retry or hold data. */
export interface Postponement extends Omit<QueueRow, 'contact' | 'acceptedAtMs'> {
  /** Start of an attempt held as unknown that turned out not to have reached the platform. Its hold and its count are undone. */
  undoneAtMs?: number | undefined;
}

/**
 * Records results: wamid and status on the messages, their events and usage. Deletes queue rows and finished journal rows. The journal row
 * is the last record that a message may have been sent, so it is deleted with the last result and not before. Returns the digests of wamids
 * whose statuses arrived early and wait to be applied. The call can be repeated.
 *
 * Runs one statement per day of the messages, usually one. `nowMs` (epoch ms) decides which daily partitions are addressed by name. Id
 * ranges as parameters would also work, but PostgreSQL 18 can crash if partitions are pruned both by parameters and by join values.
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

/** The finished journal rows and the results of a statement, after their owner. */
export const FINISHED = arrayTable<JournalKey>(2)({
  shard: ['smallint', (journal) => journal.shard],
  batch: ['bigint', (journal) => journal.batch],
});
export const RESULTS = arrayTable<Completion>(FINISHED.next)({
  organization_id: ['uuid', (completion) => completion.organizationId],
  message_id: ['uuid', (completion) => completion.messageId],
  number_id: ['int', (completion) => completion.numberId],
  flow_id: ['int', (completion) => completion.flowId],
  seq: ['bigint', (completion) => completion.seq],
  at: ['timestamptz', (completion) => new Date(completion.atMs)],
  wamid: ['text', ({ result }) => (result.kind === 'sent' ? result.wamid : null)],
  wamid_digest: ['uuid', ({ result }) => (result.kind === 'sent' ? wamidDigest(result.wamid) : null)],
  error_code: ['text', ({ result }) => (result.kind === 'failed' ? result.errorCode : null)],
  error_message: ['text', ({ result }) => (result.kind === 'failed' ? result.errorMessage : null)],
  error_user_title: ['text', ({ result }) => (result.kind === 'failed' ? result.provider?.error_user_title : null)],
  error_user_msg: ['text', ({ result }) => (result.kind === 'failed' ? result.provider?.error_user_msg : null)],
  reported_at: ['timestamptz', ({ result }) => (result.kind === 'sent' ? dateOf(result.reportedAtMs) : null)],
  upstream_status: ['text', ({ result }) => (result.kind === 'sent' ? result.upstreamStatus : null)],
});

const RECORD_EVENTS = addEvents('updated', {
  organization_id: 'organization_id',
  subject_id: 'id',
  xid: 'event_xid',
  number_id: 'number_id',
  type: `CASE WHEN sent THEN ${eventTypeNumber('message.sent')} ELSE ${eventTypeNumber('message.failed')} END`,
  sequence: 'event_count',
  occurred_at: 'at',
  category: 'category',
  pricing_type: 'pricing_type',
  error_code: 'error_code',
  error_message: 'error_message',
  upstream_field: "CASE WHEN reported_at IS NOT NULL THEN 'messages' END",
  upstream_status: 'upstream_status',
});

const COUNT_USAGE = addUsage(`
  SELECT organization_id, month, metric, amount
  FROM (
    -- Groups messages before the LATERAL join, because most messages of a batch have equal values.
    SELECT organization_id, ${billingMonthSql('accepted_at')} AS month, count(*) FILTER (WHERE sent) AS sent,
           count(*) FILTER (WHERE NOT sent) AS failed, sum(price_micros) FILTER (WHERE NOT sent) AS refunded
    FROM updated GROUP BY organization_id, month
  ) alike, ${metricRows([
    ['sent', 'sent'],
    ['failed', 'failed'],
    ['spentMicros', '-refunded'],
  ])}`);

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
        SELECT * FROM (${RESULTS.rows()}) r ORDER BY organization_id, message_id
      ),
      journal AS (
        DELETE FROM dispatch_journal j
        USING (SELECT *, $1::uuid AS owner FROM (${FINISHED.rows()}) f ORDER BY shard, batch) f
        WHERE ${sameKey('j', 'f', ['shard', 'owner', 'batch'])}
        RETURNING 1
      ),
      place AS MATERIALIZED (
        SELECT number_id, flow_id, seq, message_id FROM result ORDER BY number_id, flow_id, seq
      ),
      gone AS (
        DELETE FROM send_queue q USING place r
        -- The same seq may belong to another message now: see journalDispatch.
        WHERE ${samePlace('q', 'r')} AND q.message_id = r.message_id
          -- After the journal and in this order, like a takeover (holdJournaled); otherwise the two deadlock.
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
            sent_at = CASE WHEN r.wamid IS NOT NULL THEN coalesce(r.reported_at, r.at) END,
            failed_at = CASE WHEN r.wamid IS NULL THEN r.at END,
            error_code = r.error_code,
            error_message = r.error_message,
            error_user_title = r.error_user_title,
            error_user_msg = r.error_user_msg,
            event_count = m.event_count + 1,
            -- For a message held back by the platform, the webhook that reports it as sent still makes an event.
            told = CASE WHEN r.wamid IS NULL THEN ${TOLD_BIT.failed} WHEN ${heldBackSql('r.upstream_status')} THEN 0 ELSE ${TOLD_BIT.sent} END,
            event_xid = greatest(m.event_xid, pg_current_xact_id())
        FROM result r
        WHERE m.organization_id = r.organization_id AND m.id = r.message_id AND m.status = 0
        RETURNING m.organization_id, m.id, m.number_id, m.accepted_at, m.price_micros, m.category, m.pricing_type, m.event_xid,
                  m.event_count, r.at, r.error_code, r.error_message, (r.wamid IS NOT NULL) AS sent, r.reported_at,
                  r.upstream_status
      ),
      event_row AS (
        ${RECORD_EVENTS}
      ),
      counted AS (
        ${COUNT_USAGE}
      )
      SELECT wamid_digest FROM result r
      -- OFFSET forces a lookup per digest, for the reason given at \`sameKey\`.
      WHERE EXISTS (SELECT FROM early_status e WHERE e.wamid_digest = r.wamid_digest OFFSET 0)`,
    values: [owner, ...FINISHED.values(finished), ...RESULTS.values(completions)],
  });
  return rows.map((row) => row.wamid_digest);
}

/** The rows of a statement, after their owner. */
export const POSTPONEMENTS = arrayTable<Postponement>(2)({
  number_id: ['int', (row) => row.numberId],
  flow_id: ['int', (row) => row.flowId],
  seq: ['bigint', (row) => row.seq],
  attempt: ['smallint', (row) => row.attempt],
  unknown_count: ['smallint', (row) => row.unknownCount],
  due_at: ['timestamptz', (row) => dateOf(row.dueAtMs)],
  hold_until: ['timestamptz', (row) => dateOf(row.holdUntilMs)],
  attempted_at: ['timestamptz', (row) => dateOf(row.attemptedAtMs)],
  message_id: ['uuid', (row) => row.messageId],
  undone_at: ['timestamptz', (row) => dateOf(row.undoneAtMs)],
});

/**
 * Stores retries and holds on queue rows, the rare case in which a waiting row is updated. Two kinds of rows are left unchanged, because
 * their new owner knows more. The first has more unknown outcomes than the writer knows of. The second has a new owner whose hold of the
 * same attempt has ended: held again, no process would ever release it.
 * An undo applies only to the hold of that very attempt. A row that belongs to another message now is left unchanged: see
 * `journalDispatch`.
 */
export async function recordPostponements(db: Queryable, owner: string, postponements: Postponement[]): Promise<void> {
  await db.query({
    name: 'queue_record_postponements',
    text: `
      UPDATE send_queue q
      SET attempt = p.attempt, unknown_count = p.unknown_count, due_at = p.due_at, hold_until = p.hold_until,
          attempted_at = p.attempted_at
      FROM ${POSTPONEMENTS.from('p')}
      WHERE ${samePlace('q', 'p')} AND q.message_id = p.message_id
        AND CASE WHEN p.undone_at IS NULL THEN
          q.unknown_count <= p.unknown_count
          AND (q.unknown_count < p.unknown_count OR p.hold_until IS NULL OR q.hold_until IS NOT NULL
               OR EXISTS (SELECT FROM shard_lease l WHERE l.shard = q.shard AND l.owner = $1))
        ELSE q.hold_until IS NOT NULL AND q.attempted_at = p.undone_at END`,
    values: [owner, ...POSTPONEMENTS.values(postponements)],
  });
}

function dateOf(epochMs: number | null | undefined): Date | null {
  return epochMs == null ? null : new Date(epochMs);
}
