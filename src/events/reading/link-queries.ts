import { findContactCards } from '../../conversations/index.ts';
import { wamidDigest } from '../../core/ids.ts';
import { conversationKeyOf } from '../../core/phone-number.ts';
import type { Queryable } from '../../database/database.ts';
import type { Event } from '../event.ts';
import { quotedWamidOf } from '../rendering/render-upstream-payload.ts';

/**
 * Adds to events `message.received` the sent message that each quotes or reacts to. Messages that were not sent through the gateway, and
 * those whose wamid is not recorded yet, are left out.
 */
export async function linkQuoted(db: Queryable, events: readonly Event[]): Promise<void> {
  const quoting = events.flatMap(({ type, organizationId, message }) => {
    const text = type === 'message.received' ? message?.inboundMessage : undefined;
    const wamid = text == null ? undefined : quotedWamidOf(text);
    return message === null || wamid === undefined ? [] : [{ organizationId, message, wamid }];
  });
  if (quoting.length === 0) return;
  const rows = await db.query<{ ord: number; message_id: string }>({
    name: 'event_find_quoted',
    text: `
      SELECT k.ord, m.id AS message_id
      FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS k(organization_id, wamid_digest, ord)
      JOIN wamid_ref r ON r.wamid_digest = k.wamid_digest AND r.organization_id = k.organization_id
      CROSS JOIN LATERAL (
        SELECT id FROM message WHERE organization_id = r.organization_id AND id = r.message_id AND direction = 0 OFFSET 0
      ) m`,
    values: [quoting.map((one) => one.organizationId), quoting.map((one) => wamidDigest(one.wamid))],
  });
  for (const { ord, message_id: messageId } of rows) {
    const found = quoting[ord - 1];
    if (found !== undefined) found.message.quoted = { messageId, wamid: found.wamid };
  }
}

/**
 * Adds to events `message.sent` that the platform did not report the recipient's contact object, if the person has written to the number
 * lately.
 */
export async function linkRecipientCards(db: Queryable, events: readonly Event[]): Promise<void> {
  const sent = events.flatMap(({ type, upstreamValue, organizationId, wabaId, number, message }) => {
    if (type !== 'message.sent' || upstreamValue !== null) return [];
    const name = message?.contact == null ? message?.userId : conversationKeyOf(message.contact);
    if (message === null || number === null || wabaId === null || name == null) return [];
    return [{ message, of: { organizationId, numberId: number.numberId, wabaId, name } }];
  });
  if (sent.length === 0) return;
  const cards = await findContactCards(
    db,
    sent.map(({ of }) => of),
  );
  for (const [index, { message }] of sent.entries()) message.recipientCard = cards[index];
}
