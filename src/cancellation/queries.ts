import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';

/** A position in the queue of an organization. */
export interface QueuePosition {
  numberId: number;
  flowId: number;
  seq: number;
}

/** Selects the waiting messages of one number to cancel; undefined members do not narrow. */
export interface CancelSearch {
  organizationId: string;
  /** Only rows after this one, in the order of flows and acceptance. */
  after: QueuePosition;
  /** Keys of people. */
  contacts: string[] | undefined;
  type: string | undefined;
  template: string | undefined;
  callbackData: string | undefined;
  /** Accepted within [from, to). */
  from: Date;
  to: Date;
  /** Most rows to examine. */
  scanMax: number;
}

/** The organization's numbers from `fromNumberId` on, in order. */
export async function listNumberIds(db: Queryable, organizationId: string, fromNumberId: number): Promise<number[]> {
  const rows = await db.query<{ number_id: number }>({
    name: 'number_list_ids',
    text: 'SELECT number_id FROM sending_number WHERE organization_id = $1 AND number_id >= $2 ORDER BY number_id',
    values: [organizationId, fromNumberId],
  });
  return rows.map((row) => row.number_id);
}

/** A message whose queue row another transaction is writing. */
export interface BusyMessage {
  messageId: string;
  /** The person's key. */
  contact: string;
}

/** Most busy messages handled one by one before the rest is examined again; by that time most of the rest are free. */
export const BUSY_MAX = 100;

/**
 * Marks matching messages among the next rows of a number's queue as cancelled. Returns the number marked and the last row examined;
 * `last` is undefined if there are no more rows. A message with an unknown outcome is left alone, since it may have been sent. Messages
 * whose rows another transaction is writing are returned in `busy`, at most BUSY_MAX: waiting for several at once could deadlock.
 */
export async function markCancelled(
  db: Queryable,
  search: CancelSearch,
): Promise<{ cancelled: number; busy: BusyMessage[]; last: QueuePosition | undefined }> {
  const { numberId } = search.after;
  const rows = await db.query<{
    cancelled: number;
    busy_ids: string[];
    busy_contacts: string[];
    flow_id: number | null;
    seq: number | null;
  }>({
    name: 'queue_mark_cancelled',
    text: `
      WITH looked AS MATERIALIZED (
        SELECT ctid AS place, flow_id, seq, message_id, contact, accepted_at, hold_until IS NULL AND cancelled_at IS NULL AS waits
        FROM send_queue
        WHERE number_id = $2 AND (flow_id, seq) > ($3, $4)
        ORDER BY flow_id, seq LIMIT $11
      ),
      wanted AS MATERIALIZED (
        -- Message by message: what joins them at once may read all there are.
        SELECT l.place, l.message_id, l.contact FROM looked l, LATERAL (
          SELECT FROM message m
          WHERE m.organization_id = $1 AND m.id = l.message_id AND ($6::text IS NULL OR m.type = $6)
            AND ($7::text IS NULL OR m.template_name = $7) AND ($8::text IS NULL OR m.callback_data = $8)
          OFFSET 0
        ) m
        WHERE l.waits AND ($5::bigint[] IS NULL OR l.contact = ANY ($5)) AND l.accepted_at >= $9 AND l.accepted_at < $10
      ),
      free AS MATERIALIZED (
        SELECT ctid AS place FROM send_queue
        WHERE ctid = ANY (ARRAY(SELECT place FROM wanted)) AND hold_until IS NULL AND cancelled_at IS NULL
        FOR UPDATE SKIP LOCKED
      ),
      marked AS (
        UPDATE send_queue q SET cancelled_at = now() FROM free f WHERE q.ctid = f.place RETURNING q.seq
      ),
      busy AS MATERIALIZED (
        SELECT w.message_id, w.contact FROM wanted w
        WHERE NOT EXISTS (SELECT FROM free f WHERE f.place = w.place) LIMIT ${BUSY_MAX}
      )
      SELECT (SELECT count(*)::int FROM marked) AS cancelled, ARRAY(SELECT message_id FROM busy) AS busy_ids,
             ARRAY(SELECT contact::text FROM busy) AS busy_contacts, last.flow_id, last.seq
      FROM (SELECT) AS one LEFT JOIN (SELECT flow_id, seq FROM looked ORDER BY flow_id DESC, seq DESC LIMIT 1) AS last ON true`,
    values: [
      search.organizationId,
      numberId,
      search.after.flowId,
      search.after.seq,
      search.contacts,
      search.type,
      search.template,
      search.callbackData,
      search.from,
      search.to,
      search.scanMax,
    ],
  });
  const { cancelled, busy_ids: ids, busy_contacts: contacts, flow_id: flowId, seq } = firstRow(rows);
  const busy = ids.map((messageId, index) => ({ messageId, contact: contacts[index] ?? '' }));
  return { cancelled, busy, last: flowId === null || seq === null ? undefined : { numberId, flowId, seq } };
}

/** The number of an organization's message and the names of its person, even if it does not wait; undefined for an unknown id. */
export async function findRecipient(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<{ numberId: number; names: string[] } | undefined> {
  const rows = await db.query<{ numberId: number; names: string[] }>({
    name: 'cancellation_find_recipient',
    text: `
      SELECT number_id AS "numberId", array_remove(ARRAY[contact::text, person, user_id], NULL) AS names
      FROM message WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/**
 * Marks one message of a number as cancelled, given the keys that its person may have. Returns false if it does not wait there, or may have been sent. A
 * message that is already marked stays so.
 */
export async function markOneCancelled(
  db: Queryable,
  numberId: number,
  contacts: readonly string[],
  messageId: string,
): Promise<boolean> {
  const rows = await db.query({
    name: 'queue_mark_one_cancelled',
    text: `
      UPDATE send_queue SET cancelled_at = coalesce(cancelled_at, now())
      WHERE number_id = $1 AND contact = ANY ($2::bigint[]) AND message_id = $3 AND hold_until IS NULL
      RETURNING seq`,
    values: [numberId, contacts, messageId],
  });
  return rows.length > 0;
}

/** Marks one message as `markCancelled` does, after waiting for other writers of its row; false if it no longer waits. */
export async function markBusyCancelled(db: Queryable, numberId: number, message: BusyMessage): Promise<boolean> {
  const rows = await db.query({
    name: 'queue_mark_busy_cancelled',
    text: `
      UPDATE send_queue SET cancelled_at = now()
      WHERE number_id = $1 AND contact = $2 AND message_id = $3 AND hold_until IS NULL AND cancelled_at IS NULL
      RETURNING seq`,
    values: [numberId, message.contact, message.messageId],
  });
  return rows.length > 0;
}
