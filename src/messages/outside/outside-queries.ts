import { wamidDigest } from '../../core/ids.ts';
import { type MessageOrigin, originNumber } from '../../core/message-origins.ts';
import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { addEvents, eventTypeNumber } from '../../events/index.ts';
import type { MessagePerson } from '../message-person.ts';
import { STATUS } from '../statuses/message-status.ts';

/** A message of one of the organization's numbers that the gateway neither sent nor received: an echo, or one of the past. */
export interface OutsideMessage extends MessagePerson {
  organizationId: string;
  numberId: number;
  wamid: string;
  direction: 'outbound' | 'inbound';
  origin: MessageOrigin;
  type: string;
  templateName: string | undefined;
  templateLanguage: string | undefined;
  status: keyof typeof STATUS;
  atMs: number;
  /** the message object as received, or the body of the send */
  body: string;
  /** the webhook field that reports it, and the members of the value about it, word for word; without it the message makes no event */
  event: { field: string; value: string } | undefined;
}

const OUTSIDE = arrayTable<OutsideMessage & { id: string }>(2)({
  organization_id: ['uuid', (message) => message.organizationId],
  id: ['uuid', (message) => message.id],
  number_id: ['int', (message) => message.numberId],
  wamid: ['text', (message) => message.wamid],
  wamid_digest: ['uuid', (message) => wamidDigest(message.wamid)],
  direction: ['smallint', (message) => (message.direction === 'outbound' ? 0 : 1)],
  origin: ['smallint', (message) => originNumber(message.origin)],
  contact: ['bigint', (message) => message.contact],
  pair: ['bigint', ({ pair }) => pair],
  person: ['text', ({ person }) => person],
  user_id: ['text', ({ userId }) => userId],
  type: ['text', (message) => message.type],
  template_name: ['text', (message) => message.templateName],
  template_language: ['text', (message) => message.templateLanguage],
  status: ['smallint', (message) => STATUS[message.status]],
  at: ['timestamptz', (message) => new Date(message.atMs)],
  body: ['text', (message) => message.body],
  field: ['text', (message) => message.event?.field],
  value: ['text', (message) => message.event?.value],
});

/**
 * Stores messages under their given ids, with their events, unless their wamids are known: a send whose result is recorded keeps its wamid,
 * and a repeated webhook changes nothing. No usage is counted, because the gateway did not send them.
 *
 * While a send to the same person waits, an echo does not claim its wamid: it may be the echo of that very send. Without this, the statuses
 * of a send with an unknown outcome would go to its echo, and the send would be repeated.
 */
export async function insertOutside(
  tx: Queryable,
  messages: readonly (OutsideMessage & { id: string })[],
  nowMs: number,
): Promise<void> {
  await tx.query({
    name: 'message_insert_outside',
    // `IS TRUE` makes PostgreSQL look up the new ids in a hash table. A join may compare every row with every other.
    text: `
      WITH input AS MATERIALIZED (${OUTSIDE.rows()}),
      waiting AS MATERIALIZED (
        SELECT id FROM input i WHERE EXISTS (SELECT FROM send_queue q WHERE q.number_id = i.number_id AND q.contact = i.pair)
      ),
      ref AS (
        INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
        SELECT wamid_digest, organization_id, id FROM input WHERE (id IN (SELECT id FROM waiting)) IS NOT TRUE ORDER BY wamid_digest
        ON CONFLICT DO NOTHING RETURNING message_id
      ),
      added AS MATERIALIZED (
        SELECT * FROM input
        WHERE (id IN (SELECT message_id FROM ref)) IS TRUE
          OR (id IN (SELECT id FROM waiting)) IS TRUE
             AND NOT EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = input.wamid_digest)
      ),
      message_row AS (
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, template_language, body, status, wamid,
                             accepted_at, sent_at, origin, event_count, person, user_id)
        SELECT organization_id, id, number_id, direction, contact, type, template_name, template_language, body, status, wamid, $1, at,
               origin, (field IS NOT NULL)::int, person, user_id
        FROM added
      )
      ${addEvents('added WHERE field IS NOT NULL', {
        organization_id: 'organization_id',
        subject_id: 'id',
        number_id: 'number_id',
        type: eventTypeNumber('message.echoed'),
        sequence: '1',
        occurred_at: 'at',
        upstream_field: 'field',
        upstream_value: 'value',
      })}`,
    values: [new Date(nowMs), ...OUTSIDE.values(messages)],
  });
}
