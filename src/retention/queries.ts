import type { Queryable } from '../database/database.ts';
import { messageTableOf, nameFor } from '../database/days/message-tables.ts';
import { firstRow } from '../database/first-row.ts';
import type { Retention } from '../organizations/index.ts';

/** Kinds of data whose removal has a position. */
type Kind = 'messages' | 'events' | 'bodies';

/** Returns the organizations that keep some data for a shorter time than the process. */
export async function listRetentions(db: Queryable): Promise<{ organizationId: string; retention: Retention }[]> {
  return db.query({
    name: 'retention_list',
    text: `SELECT id AS "organizationId", retention FROM organization WHERE retention <> '{}' ORDER BY id`,
  });
}

/** Returns the organizations that keep no body of a sent message. */
export async function listWithoutBodies(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'retention_list_without_bodies',
    text: `SELECT id FROM organization WHERE keep_bodies = 'until_sent' ORDER BY id`,
  });
  return rows.map(({ id }) => id);
}

/** Returns the stored position of a removal; null before its first step. */
export async function findPosition(db: Queryable, organizationId: string, kind: Kind): Promise<string | null> {
  const rows = await db.query<{ position: string | null }>({
    name: 'retention_find_position',
    text: 'SELECT position FROM retention_progress WHERE organization_id = $1 AND kind = $2',
    values: [organizationId, kind],
  });
  return rows[0]?.position ?? null;
}

/** Locks the position of a removal until `tx` ends, and returns it; undefined if another node works on it. */
export async function lockPosition(
  tx: Queryable,
  organizationId: string,
  kind: Kind,
): Promise<{ position: string | null } | undefined> {
  await tx.query({
    name: 'retention_begin',
    text: `
      INSERT INTO retention_progress (organization_id, kind)
      SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM retention_progress WHERE organization_id = $1 AND kind = $2)
      ON CONFLICT DO NOTHING`,
    values: [organizationId, kind],
  });
  const rows = await tx.query<{ position: string | null }>({
    name: 'retention_lock_position',
    text: `
      SELECT position FROM retention_progress WHERE organization_id = $1 AND kind = $2
      FOR UPDATE SKIP LOCKED`,
    values: [organizationId, kind],
  });
  return rows[0];
}

/** Stores the position of a locked removal. */
export async function storePosition(
  tx: Queryable,
  organizationId: string,
  kind: Kind,
  position: string,
): Promise<void> {
  await tx.query({
    name: 'retention_store_position',
    text: 'UPDATE retention_progress SET position = $3 WHERE organization_id = $1 AND kind = $2',
    values: [organizationId, kind, position],
  });
}

/** A message whose time is over. */
interface PastMessage {
  id: string;
  wamid: string | null;
  /** True if it waits, is being sent, or has an unknown outcome. */
  waits: boolean;
}

/** Locks and returns the next messages of an organization with an id after `afterId` and before `beforeId`, in order. */
export async function lockPastMessages(
  tx: Queryable,
  organizationId: string,
  { afterId, beforeId }: { afterId: string; beforeId: string },
  limit: number,
): Promise<PastMessage[]> {
  return tx.query<PastMessage & Record<string, unknown>>({
    name: 'retention_lock_past_messages',
    text: `
      SELECT id, wamid, status = 0 AS waits FROM message
      WHERE organization_id = $1 AND id > $2 AND id < $3
      ORDER BY organization_id, id LIMIT $4 FOR NO KEY UPDATE`,
    values: [organizationId, afterId, beforeId, limit],
  });
}

/**
 * Deletes events of one day [from, to) with their attempts and deliveries, at most `limit` of each. Returns true if nothing of that day is
 * left.
 */
export async function deleteEvents(
  tx: Queryable,
  organizationId: string,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<boolean> {
  const rows = await tx.query<{ most: number }>({
    name: 'retention_delete_events',
    text: `
      WITH events AS (
        DELETE FROM event WHERE organization_id = $1 AND at >= $2 AND at < $3 AND ctid = ANY (ARRAY(
          SELECT ctid FROM event WHERE organization_id = $1 AND at >= $2 AND at < $3 LIMIT $4 FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      ),
      sends AS (
        DELETE FROM send_attempt WHERE organization_id = $1 AND at >= $2 AND at < $3 AND ctid = ANY (ARRAY(
          SELECT ctid FROM send_attempt WHERE organization_id = $1 AND at >= $2 AND at < $3 LIMIT $4 FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      ),
      deliveries AS (
        DELETE FROM webhook_delivery WHERE organization_id = $1 AND event_at >= $2 AND event_at < $3 AND ctid = ANY (ARRAY(
          SELECT ctid FROM webhook_delivery
          WHERE organization_id = $1 AND event_at >= $2 AND event_at < $3 LIMIT $4 FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      ),
      attempts AS (
        DELETE FROM webhook_attempt WHERE organization_id = $1 AND at >= $2 AND at < $3 AND ctid = ANY (ARRAY(
          SELECT ctid FROM webhook_attempt WHERE organization_id = $1 AND at >= $2 AND at < $3 LIMIT $4 FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      )
      SELECT greatest(
        (SELECT count(*) FROM events), (SELECT count(*) FROM sends),
        (SELECT count(*) FROM deliveries), (SELECT count(*) FROM attempts)
      )::int AS most`,
    values: [organizationId, from, to, limit],
  });
  return firstRow(rows).most < limit;
}

/** Removes the names of files of an organization that were stored before a time, oldest first, at most `limit`. Returns their number. */
export async function removeFileNames(
  db: Queryable,
  organizationId: string,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query({
    name: 'retention_remove_file_names',
    text: `
      UPDATE media SET file_name = NULL WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM media WHERE organization_id = $1 AND created_at < $2 AND file_name IS NOT NULL
        ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED
      )) RETURNING 1`,
    values: [organizationId, before, limit],
  });
  return rows.length;
}

/** A message with its body. */
interface SentMessage {
  id: string;
  body: string;
}

/**
 * Locks and returns the messages with these ids that the organization sent through the gateway and whose sending has ended. Locks in key
 * order, as all writers of several messages do.
 */
export async function lockSent(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<SentMessage[]> {
  const table = messageTableOf(ids, nowMs);
  return tx.query<SentMessage & Record<string, unknown>>({
    name: nameFor('retention_lock_sent', table),
    text: `
      SELECT id, body FROM ${table.name}
      WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND direction = 0 AND status <> 0 AND origin IS NULL
      ORDER BY organization_id, id FOR NO KEY UPDATE`,
    values: [organizationId, ids],
  });
}

/** Stores bodies in place of those of locked messages. */
export async function replaceBodies(
  tx: Queryable,
  organizationId: string,
  messages: readonly SentMessage[],
  nowMs: number,
): Promise<void> {
  const ids = messages.map(({ id }) => id);
  const table = messageTableOf(ids, nowMs);
  await tx.query({
    name: nameFor('retention_replace_bodies', table),
    text: `
      UPDATE ${table.name} m SET body = b.body
      FROM unnest($2::uuid[], $3::text[]) AS b (id, body)
      WHERE m.organization_id = $1 AND m.id = b.id`,
    values: [organizationId, ids, messages.map(({ body }) => body)],
  });
}
