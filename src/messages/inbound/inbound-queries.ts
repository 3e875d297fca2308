import { wamidDigest } from '../../core/ids.ts';
import { originNumber } from '../../core/message-origins.ts';
import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { addEvents, eventTypeNumber } from '../../events/index.ts';
import type { MessagePerson } from '../message-person.ts';
import { STATUS } from '../statuses/message-status.ts';

/** A person's message, with the sending number that received it. */
export interface InboundToStore extends MessagePerson {
  organizationId: string;
  numberId: number;
  wamid: string;
  /** the group that it was written in; undefined outside of groups */
  groupId: string | undefined;
  /** `agent` if a business agent holds the conversation, otherwise `api` */
  origin: 'api' | 'agent';
  type: string;
  atMs: number;
  /** the message object exactly as received */
  raw: string;
  /** the rest of the webhook's value about this message, above all the sender's name: a JSON object as text */
  value: string | undefined;
}

type NewInbound = InboundToStore & { id: string };

/** The messages of a statement, after the time of acceptance. */
export const INBOUND = arrayTable<NewInbound>(2)({
  organization_id: ['uuid', (message) => message.organizationId],
  id: ['uuid', (message) => message.id],
  number_id: ['int', (message) => message.numberId],
  wamid: ['text', (message) => message.wamid],
  wamid_digest: ['uuid', (message) => wamidDigest(message.wamid)],
  contact: ['bigint', (message) => message.contact],
  type: ['text', (message) => message.type],
  at: ['timestamptz', (message) => new Date(message.atMs)],
  body: ['text', (message) => message.raw],
  value: ['text', (message) => message.value],
  origin: ['smallint', (message) => originNumber(message.origin)],
  group_id: ['text', (message) => message.groupId],
  person: ['text', (message) => message.person],
  user_id: ['text', (message) => message.userId],
});

/**
 * Stores new inbound messages under their given ids, with their events, and returns the new wamids. The unique wamid decides, so that a
 * payload delivered twice, even concurrently, stores one message.
 */
export async function insertInbound(tx: Queryable, rows: NewInbound[], nowMs: number): Promise<Set<string>> {
  const added = await tx.query<{ wamid: string }>({
    name: 'message_insert_inbound',
    // `IS TRUE` makes PostgreSQL look up the new ids in a hash table. A join may compare every row with every other.
    text: `
      WITH input AS MATERIALIZED (
        ${INBOUND.rows()}
      ),
      ref AS (
        INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
        SELECT wamid_digest, organization_id, id FROM input ORDER BY wamid_digest
        ON CONFLICT DO NOTHING RETURNING message_id
      ),
      added AS MATERIALIZED (SELECT * FROM input WHERE (id IN (SELECT message_id FROM ref)) IS TRUE),
      message_row AS (
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, wamid, accepted_at, sent_at,
                             origin, group_id, person, user_id)
        SELECT organization_id, id, number_id, 1, contact, type, body, ${STATUS.received}, wamid, $1, at, nullif(origin, 0), group_id, person, user_id
        FROM added
      ),
      event_row AS (
        ${addEvents('added', {
          organization_id: 'organization_id',
          subject_id: 'id',
          number_id: 'number_id',
          type: `CASE WHEN origin = 0 THEN ${eventTypeNumber('message.received')} ELSE ${eventTypeNumber('message.standby')} END`,
          sequence: '1',
          occurred_at: 'at',
          upstream_field: "CASE WHEN origin = 0 THEN 'messages' ELSE 'standby' END",
          upstream_value: 'value',
        })}
      )
      SELECT wamid FROM added`,
    values: [new Date(nowMs), ...INBOUND.values(rows)],
  });
  return new Set(added.map((row) => row.wamid));
}
