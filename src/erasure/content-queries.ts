import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';
import { TOLD_ERASED } from '../events/index.ts';

/** A person's data in one organization. */
export interface PersonData {
  organizationId: string;
  contacts: readonly string[];
  keys: readonly string[];
  names: readonly string[];
}

/** Returns true if a message to the person that is older than `beforeId` waits, is being sent, or has an unknown outcome. */
export async function hasWaiting(
  db: Queryable,
  { organizationId, keys }: PersonData,
  beforeId: string,
): Promise<boolean> {
  const rows = await db.query<{ waits: boolean }>({
    name: 'erasure_has_waiting',
    text: `
      SELECT EXISTS (
        SELECT FROM sending_number n
        CROSS JOIN LATERAL (
          SELECT FROM send_queue q
          WHERE q.number_id = n.number_id AND q.contact = ANY ($2::bigint[]) AND q.message_id < $3 LIMIT 1
        ) q
        WHERE n.organization_id = $1
      ) AS waits`,
    values: [organizationId, keys, beforeId],
  });
  return firstRow(rows).waits;
}

/** A message of the person. */
export interface OwnMessage {
  id: string;
  body: string;
}

/** Locks and returns the next messages of the person that are older than `beforeId`. Erased messages are not found again. */
export async function lockMessages(
  tx: Queryable,
  { organizationId, contacts }: PersonData,
  beforeId: string,
  limit: number,
): Promise<OwnMessage[]> {
  return tx.query({
    name: 'erasure_lock_messages',
    // The first order keeps to the index by person. The second one locks in key order, as all writers of several messages do.
    text: `
      WITH next AS MATERIALIZED (
        SELECT id FROM message
        WHERE organization_id = $1 AND contact = ANY ($2::bigint[]) AND id < $3
        ORDER BY organization_id, contact, id LIMIT $4
      )
      SELECT m.id, m.body FROM message m
      WHERE m.organization_id = $1 AND m.id = ANY (ARRAY(SELECT id FROM next)) AND m.contact = ANY ($2::bigint[])
      ORDER BY m.organization_id, m.id
      FOR NO KEY UPDATE OF m`,
    values: [organizationId, contacts, beforeId, limit],
  });
}

/**
 * Removes contents and identifiers of locked messages. Times, status, category and price stay. All bits of `told` are set, so that a late
 * status changes the counts and creates no event with the person's number.
 *
 * @param ids in ascending order, so that only the days of the messages are opened
 */
export async function blankMessages(tx: Queryable, organizationId: string, ids: readonly string[]): Promise<void> {
  await tx.query({
    name: 'erasure_blank_messages',
    text: `
      UPDATE message
      SET contact = NULL, person = NULL, user_id = NULL, body = '{}', callback_data = NULL, wamid = NULL, group_id = NULL,
        error_message = CASE WHEN error_message IS NOT NULL THEN 'erased' END, error_user_title = NULL, error_user_msg = NULL, history = NULL,
        told = ${TOLD_ERASED}
      WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND id >= $3 AND id <= $4`,
    values: [organizationId, ids, ids.at(0), ids.at(-1)],
  });
}

/** Removes the answers of endpoints to the events in `deleted`, which may repeat them. `from` is the parameter with the events' earliest time. */
const answersRemoved = (from: string) => `
      endpoint AS MATERIALIZED (SELECT endpoint_number FROM webhook_endpoint WHERE organization_id = $1),
      delivered AS (
        UPDATE webhook_delivery d SET answer = NULL
        FROM deleted e, endpoint w
        WHERE d.organization_id = $1 AND d.endpoint_number = w.endpoint_number AND d.event_at = date_trunc('second', e.at)
          AND d.subject_id = e.subject_id AND d.sequence = e.sequence AND d.answer IS NOT NULL
      ),
      attempted AS (
        UPDATE webhook_attempt a SET answer = NULL
        FROM deleted e, endpoint w
        WHERE a.organization_id = $1 AND a.endpoint_number = w.endpoint_number AND a.subject_id = e.subject_id
          AND a.sequence = e.sequence AND a.at >= ${from} AND a.answer IS NOT NULL
      )`;

/**
 * Deletes the events of these messages from `from` on, and the answers of endpoints to their deliveries. Returns the number of events.
 * A delivery that still waits ends as one without an event.
 */
export async function deleteMessageEvents(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[],
  from: Date,
): Promise<number> {
  const rows = await tx.query<{ events: number }>({
    name: 'erasure_delete_message_events',
    text: `
      WITH deleted AS (
        DELETE FROM event WHERE organization_id = $1 AND subject_id = ANY ($2::uuid[]) AND at >= $3
        RETURNING subject_id, sequence, at
      ),
      ${answersRemoved('$3')},
      tried AS (
        UPDATE send_attempt SET error_message = NULL
        WHERE organization_id = $1 AND message_id = ANY ($2::uuid[]) AND at >= $3 AND error_message IS NOT NULL
      )
      SELECT count(*)::int AS events FROM deleted`,
    values: [organizationId, ids, from],
  });
  return firstRow(rows).events;
}

/** Removes the names of these files, as far as they are the organization's. */
export async function blankFileNames(
  tx: Queryable,
  organizationId: string,
  mediaIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'erasure_blank_file_names',
    text: `
      UPDATE media SET file_name = NULL
      WHERE organization_id = $1 AND media_id = ANY ($2::text[]) AND file_name IS NOT NULL`,
    values: [organizationId, mediaIds],
  });
}

/**
 * Deletes the person's windows, names, opt-outs, early statuses, pair debts and broadcast merges. A pair debt that still limits stays, and so does a
 * merge that nodes may not have read yet. Returns true if nothing is left.
 */
export async function deleteTraces(tx: Queryable, { organizationId, keys, contacts }: PersonData): Promise<boolean> {
  const rows = await tx.query<{ left: number }>({
    name: 'erasure_delete_traces',
    text: `
      WITH number AS MATERIALIZED (
        SELECT number_id, coalesce(phone_number_id, former_phone_number_id) AS phone_number_id
        FROM sending_number WHERE organization_id = $1
      ),
      windows AS (
        DELETE FROM conversation c USING number n
        WHERE c.organization_id = $1 AND c.number_id = n.number_id AND c.contact = ANY ($2::bigint[])
      ),
      names AS (
        DELETE FROM person_alias WHERE organization_id = $1 AND person = ANY ($2::bigint[])
      ),
      statuses AS (
        DELETE FROM early_status e USING number n
        WHERE e.phone_number_id = n.phone_number_id AND e.contact = ANY ($2::bigint[] || $3::bigint[])
      ),
      opt_outs AS (
        DELETE FROM opt_out WHERE organization_id = $1 AND person = ANY ($2::bigint[])
      ),
      debts AS (
        DELETE FROM pair_debt d USING number n
        WHERE d.number_id = n.number_id AND d.contact = ANY ($2::bigint[]) AND d.free_at <= now()
      ),
      merge AS MATERIALIZED (
        SELECT ctid AS place, at < now() - interval '30 seconds' AS is_read FROM change_feed
        WHERE topic = 'person' AND position($1::uuid::text IN key) > 0
          AND EXISTS (SELECT FROM unnest($2::bigint[]) AS k WHERE position('"' || k || '"' IN key) > 0)
      ),
      merges AS (
        DELETE FROM change_feed WHERE ctid = ANY (ARRAY(SELECT place FROM merge WHERE is_read))
      )
      SELECT (
        SELECT count(*)::int FROM pair_debt d JOIN number n USING (number_id)
        WHERE d.contact = ANY ($2::bigint[]) AND d.free_at > now()
      ) + (SELECT count(*)::int FROM merge WHERE NOT is_read) AS left`,
    values: [organizationId, keys, contacts],
  });
  return firstRow(rows).left === 0;
}

/**
 * Removes the person as the recipient of test messages. A node that works on such an onboarding loses its claim. Without this, its next write
 * would bring the recipient back.
 */
export async function forgetTestRecipient(tx: Queryable, { organizationId, names }: PersonData): Promise<void> {
  await tx.query({
    name: 'erasure_forget_test_recipient',
    text: `
      UPDATE onboarding SET test_recipient = NULL, epoch = epoch + 1, claimed_until = NULL
      WHERE organization_id = $1 AND substr(test_recipient, 2) = ANY ($2::text[])`,
    values: [organizationId, names],
  });
  await tx.query({
    name: 'erasure_forget_setup_recipient',
    text: `
      UPDATE setup_link SET test_recipient = NULL
      WHERE organization_id = $1 AND substr(test_recipient, 2) = ANY ($2::text[])`,
    values: [organizationId, names],
  });
}

/**
 * Deletes events within [from, to) that are not about a message and contain one of the names, and the answers of endpoints to their deliveries. Returns
 * their number. Reads every event of this time, so its time limit is longer than usual.
 *
 * @param messageTypes numbers of the types that are about a message
 */
export async function deleteOtherEvents(
  tx: Queryable,
  { organizationId, names }: PersonData,
  { from, to }: { from: Date; to: Date },
  messageTypes: readonly number[],
): Promise<number> {
  await tx.query({ text: `SET LOCAL statement_timeout = '5min'` });
  const rows = await tx.query<{ events: number }>({
    text: `
      WITH deleted AS (
        DELETE FROM event
        WHERE organization_id = $1 AND at >= $2 AND at < $3 AND type <> ALL ($4::smallint[])
          AND EXISTS (
            SELECT FROM unnest($5::text[]) AS name
            WHERE position(name IN coalesce(detail, '')) > 0 OR position(name IN coalesce(upstream_value, '')) > 0
          )
        RETURNING subject_id, sequence, at
      ),
      ${answersRemoved('$2')}
      SELECT count(*)::int AS events FROM deleted`,
    values: [organizationId, from, to, messageTypes, names],
    timeoutMs: 5 * 60_000,
  });
  return firstRow(rows).events;
}

/** Ids of the organization's numbers and accounts, and names of the person, as bytes to search payloads for. */
const SEARCHED = `
      own AS MATERIALIZED (
        SELECT convert_to(id, 'UTF8') AS id FROM (
          SELECT coalesce(phone_number_id, former_phone_number_id) AS id FROM sending_number WHERE organization_id = $1
          UNION
          SELECT coalesce(waba_id, former_waba_id) FROM sending_number WHERE organization_id = $1
        ) i WHERE id IS NOT NULL
      ),
      name AS MATERIALIZED (SELECT convert_to(n, 'UTF8') AS name FROM unnest($2::text[]) n)`;
/** Holds if a payload contains one of the names and one of the ids. */
const IS_MEANT = `
  EXISTS (SELECT FROM name WHERE position(name IN payload) > 0) AND EXISTS (SELECT FROM own WHERE position(own.id IN payload) > 0)`;

/** A place in the journal of the platform's payloads. */
export interface PayloadPlace {
  readUntil: Date;
  readId: number;
}

/**
 * Deletes applied payloads that contain one of the names and one of the organization's numbers or accounts. Reads `limit` payloads after a
 * place. Returns the last one that was read, undefined at the end; the number deleted; and true in `waits` if a payload received up to
 * `until` waits to be applied.
 */
export async function deletePayloads(
  tx: Queryable,
  { organizationId, names }: PersonData,
  after: PayloadPlace,
  { limit, until }: { limit: number; until: Date },
): Promise<{ last: PayloadPlace | undefined; payloads: number; waits: boolean }> {
  const rows = await tx.query<{ readUntil: Date | null; readId: number | null; payloads: number; waits: boolean }>({
    name: 'erasure_delete_payloads',
    text: `
      WITH ${SEARCHED},
      looked_at AS MATERIALIZED (
        SELECT received_at, id, pending, ${IS_MEANT} AS is_meant
        FROM upstream_journal
        WHERE (received_at, id) > ($3, $4) AND received_at >= $3
        ORDER BY received_at, id LIMIT $5
      ),
      deleted AS (
        DELETE FROM upstream_journal j USING looked_at l
        WHERE l.is_meant AND NOT l.pending AND j.received_at = l.received_at AND j.id = l.id AND NOT j.pending
        RETURNING j.received_at, j.id
      )
      SELECT last.received_at AS "readUntil", last.id AS "readId", (SELECT count(*)::int FROM deleted) AS payloads,
             EXISTS (
               SELECT FROM looked_at WHERE is_meant AND received_at <= $6 AND (received_at, id) NOT IN (SELECT received_at, id FROM deleted)
             ) AS waits
      FROM (SELECT) AS one
      LEFT JOIN (SELECT received_at, id FROM looked_at ORDER BY received_at DESC, id DESC LIMIT 1) AS last ON true`,
    values: [organizationId, names, after.readUntil, after.readId, limit, until],
  });
  const { readUntil, readId, payloads, waits } = firstRow(rows);
  return { last: readUntil === null || readId === null ? undefined : { readUntil, readId }, payloads, waits };
}
