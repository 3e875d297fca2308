import { wamidDigest } from '../../core/ids.ts';
import { arrayRows } from '../../database/batching/array-rows.ts';
import type { Queryable } from '../../database/database.ts';
import { eventTypeNumber } from '../../events/index.ts';
import { STATUS } from '../statuses/message-status.ts';

/** A person's message, with the sending number that received it. */
export interface InboundToStore {
  organizationId: string;
  numberId: number;
  wamid: string;
  /** the person's number, digits; absent for people known by user id alone */
  from: string | undefined;
  type: string;
  atMs: number;
  /** the message object exactly as received */
  raw: string;
  /** the rest of the webhook's value about this message, above all the sender's name: a JSON object as text */
  value: string | undefined;
}

/**
 * Stores new inbound messages under their given ids, with their events, and returns the new wamids. The unique wamid decides, so that a
 * payload delivered twice, even concurrently, stores one message.
 */
export async function insertInbound(
  tx: Queryable,
  rows: (InboundToStore & { id: string })[],
  nowMs: number,
): Promise<Set<string>> {
  const added = await tx.query<{ wamid: string }>({
    name: 'message_insert_inbound',
    // `IS TRUE` makes PostgreSQL look up the new ids in a hash table. A join may compare every row with every other.
    text: `
      WITH input AS MATERIALIZED (
        ${arrayRows(
          'organization_id uuid, id uuid, number_id int, wamid text, wamid_digest uuid, contact bigint, type text, at timestamptz, body text, value text',
        )}
      ),
      ref AS (
        INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
        SELECT wamid_digest, organization_id, id FROM input ORDER BY wamid_digest
        ON CONFLICT DO NOTHING RETURNING message_id
      ),
      added AS MATERIALIZED (SELECT * FROM input WHERE (id IN (SELECT message_id FROM ref)) IS TRUE),
      message_row AS (
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, wamid, accepted_at, sent_at)
        SELECT organization_id, id, number_id, 1, contact, type, body, ${STATUS.received}, wamid, $11, at FROM added
      ),
      event_row AS (
        INSERT INTO event (organization_id, subject_id, number_id, type, sequence, occurred_at, upstream_field, upstream_value)
        SELECT organization_id, id, number_id, ${eventTypeNumber('message.received')}, 1, at, 'messages', value FROM added
      )
      SELECT wamid FROM added`,
    values: [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.id),
      rows.map((row) => row.numberId),
      rows.map((row) => row.wamid),
      rows.map((row) => wamidDigest(row.wamid)),
      rows.map((row) => row.from),
      rows.map((row) => row.type),
      rows.map((row) => new Date(row.atMs)),
      rows.map((row) => row.raw),
      rows.map((row) => row.value),
      new Date(nowMs),
    ],
  });
  return new Set(added.map((row) => row.wamid));
}
