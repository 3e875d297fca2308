import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { messageTableOf, nameFor } from '../../database/days/message-tables.ts';
import { heldLeasesSql } from '../../leases/index.ts';
import { type QueueKey, samePlace } from '../queue/queue-row.ts';
import { trafficClassNameOf } from '../scheduler/index.ts';
import { BODIES_READ_BYTES_MAX, SMALL_BODY_BYTES_MAX } from './bodies.ts';

/** One message about to be sent. */
export interface JournalEntry extends QueueKey {
  organizationId: string;
  shard: number;
  contact: string;
  /** True if the body has to be read, because this process no longer has it. */
  needsBody: boolean;
  /** True if a large body may be read. */
  takesLarge: boolean;
  /** See `savePairDebt`; null for pairs that have hardly used their burst. */
  pairFreeAtMs: number | null;
}

export interface Journaled {
  expiresAtMs: number;
  /** True if its sender cancelled it. */
  cancelled: boolean;
  /** True if its number is paused. */
  paused: boolean;
  /** True if its number was released. */
  released: boolean;
  /** True if it is marketing, and its person wants none from the number. */
  optedOut: boolean;
  /** True if its sender has chosen `/marketing_messages`. */
  marketing: boolean;
  attempt: number;
  unknownCount: number;
  /** Start of the last attempt with an unknown outcome, by the platform's clock; null if there was none. */
  attemptedAtMs: number | null;
  /** W3C trace context of the accepted request. */
  traceparent: string | null;
  /** Also null if the body was requested and is too large to take now. */
  body: string | null;
}

/** Messages that are journaled together: their owner, the batch number within that owner, and the epochs of the leases. */
export interface JournalBatch {
  owner: string;
  batch: number;
  epochs: ReadonlyMap<number, number>;
}

/** The leases and the messages of a statement, after its six other parameters. */
export const LEASES = arrayTable<readonly [shard: number, epoch: number]>(7)({
  shard: ['smallint', ([shard]) => shard],
  epoch: ['bigint', ([, epoch]) => epoch],
});
export const ENTRIES = arrayTable<JournalEntry>(LEASES.next)({
  organization_id: ['uuid', (entry) => entry.organizationId],
  message_id: ['uuid', (entry) => entry.messageId],
  shard: ['smallint', (entry) => entry.shard],
  number_id: ['int', (entry) => entry.numberId],
  flow_id: ['int', (entry) => entry.flowId],
  seq: ['bigint', (entry) => entry.seq],
  needs_body: ['boolean', (entry) => entry.needsBody],
  contact: ['bigint', (entry) => entry.contact],
  free_at: ['timestamptz', (entry) => (entry.pairFreeAtMs === null ? null : new Date(entry.pairFreeAtMs))],
  takes_large: ['boolean', (entry) => entry.takesLarge],
  is_marketing: ['boolean', (entry) => trafficClassNameOf(entry.flowId) === 'marketing'],
});

/**
 * Journals messages that are about to be sent, and acts as the fence: it succeeds only while this owner still leases every named shard
 * under the known epoch. Returns the messages that are still queued, with their bodies if requested. A message whose row no longer exists
 * is already settled and is left out. Returns undefined if a lease is lost; then no message may be sent.
 *
 * Pair debts are stored in the same statement; without this, a new owner would grant a burst again after a crash.
 * A PostgreSQL failover that lost commits may give the same seqs to other messages, so rows are matched by message id as well.
 * Opt-outs are looked up for marketing only: one that is committed before the journal stops the message.
 * Bodies are looked up only for the messages that need one. Large bodies are read smallest first, up to the limit of one journal batch.
 *
 * The journal is dated `platformNowMs`, by the platform's clock. If the owner dies, statuses are compared with this date, and the platform
 * stamps them with the same clock.
 */
export async function journalDispatch(
  db: Queryable,
  { owner, batch, epochs }: JournalBatch,
  entries: JournalEntry[],
  nowMs: number,
  platformNowMs: number,
): Promise<Map<string, Journaled> | undefined> {
  const wanted = entries.filter((entry) => entry.needsBody).map((entry) => entry.messageId);
  const table = messageTableOf(wanted.length > 0 ? wanted : entries.map((entry) => entry.messageId), nowMs);
  const rows = await db.query<{
    leases: number;
    message_id: string | null;
    expires_at: Date;
    cancelled: boolean;
    paused: boolean;
    released: boolean;
    opted_out: boolean;
    marketing: boolean;
    attempt: number;
    unknown_count: number;
    attempted_at: Date | null;
    traceparent: string | null;
    body: string | null;
  }>({
    name: nameFor('dispatch_journal_write', table),
    text: `
      WITH lease AS (
        ${heldLeasesSql(LEASES)}
      ),
      held AS (SELECT count(*)::int AS leases FROM lease),
      entry AS MATERIALIZED (
        ${ENTRIES.rows()}
      ),
      journal AS (
        INSERT INTO dispatch_journal (shard, owner, batch, number_ids, flow_ids, seqs, at)
        SELECT shard, $1, $2, array_agg(number_id), array_agg(flow_id), array_agg(seq), $3::timestamptz
        FROM entry, held WHERE held.leases = $4
        GROUP BY shard
      ),
      debt AS (
        INSERT INTO pair_debt (number_id, contact, free_at)
        SELECT number_id, contact, free_at FROM entry, held
        WHERE free_at IS NOT NULL AND held.leases = $4
        ORDER BY number_id, contact
        ON CONFLICT (number_id, contact) DO UPDATE SET free_at = excluded.free_at WHERE pair_debt.free_at < excluded.free_at
      ),
      queued AS MATERIALIZED (
        SELECT q.message_id, q.expires_at, q.cancelled_at IS NOT NULL AS cancelled, q.attempt, q.unknown_count, q.attempted_at,
               q.traceparent, coalesce(q.marketing, false) AS marketing,
               coalesce(n.paused, false) AS paused, n.released_at IS NOT NULL AS released, e.takes_large,
               e.is_marketing AND coalesce((
                 SELECT o.ended_at IS NULL FROM opt_out o
                 WHERE o.organization_id = e.organization_id AND o.phone_number_id = n.phone_number_id AND o.person = q.contact
               ), false) AS opted_out,
               CASE WHEN e.needs_body THEN (
                 SELECT m.body FROM ${table.name} m
                 WHERE m.organization_id = e.organization_id AND m.id = e.message_id
               ) END AS body
        FROM entry e
        JOIN send_queue q
          ON ${samePlace('q', 'e')} AND q.message_id = e.message_id
        LEFT JOIN sending_number n ON n.number_id = e.number_id
      ),
      sized AS (
        SELECT queued.*, sum(octet_length(body)) FILTER (WHERE takes_large) OVER (ORDER BY octet_length(body), message_id) AS bytes
        FROM queued
      )
      SELECT held.leases, message_id, expires_at, cancelled, paused, released, opted_out, marketing, attempt, unknown_count,
             attempted_at, traceparent, CASE WHEN octet_length(body) <= $5 OR takes_large AND bytes <= $6 THEN body END AS body
      FROM held LEFT JOIN sized ON true`,
    values: [
      owner,
      batch,
      new Date(platformNowMs),
      epochs.size,
      SMALL_BODY_BYTES_MAX,
      BODIES_READ_BYTES_MAX,
      ...LEASES.values([...epochs]),
      ...ENTRIES.values(entries),
    ],
  });
  if (rows[0]?.leases !== epochs.size) return undefined;
  const journaled = new Map<string, Journaled>();
  for (const row of rows) {
    if (row.message_id === null) continue;
    journaled.set(row.message_id, {
      expiresAtMs: row.expires_at.getTime(),
      cancelled: row.cancelled,
      paused: row.paused,
      released: row.released,
      optedOut: row.opted_out,
      marketing: row.marketing,
      attempt: row.attempt,
      unknownCount: row.unknown_count,
      attemptedAtMs: row.attempted_at?.getTime() ?? null,
      traceparent: row.traceparent,
      body: row.body,
    });
  }
  return journaled;
}
