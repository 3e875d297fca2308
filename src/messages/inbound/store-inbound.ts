import { type Inbound, recordInbound } from '../../conversations/index.ts';
import { newId } from '../../core/ids.ts';
import { readStoredJson } from '../../core/json/index.ts';
import { conversationKeyOf } from '../../core/phone-number.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { type InboundToStore, insertInbound } from './inbound-queries.ts';

const CARD_CHARACTERS_MAX = 2_000;

/**
 * Stores inbound messages once each, however often the upstream delivers them, and returns the new ones. Ids follow the order of `inbound`.
 * Opens or extends the windows that the messages open; `system` messages open none (api-rules#window).
 */
export async function storeInbound(tx: Queryable, inbound: InboundToStore[], nowMs: number): Promise<InboundToStore[]> {
  const byWamid = new Map(inbound.map((message) => [`${message.organizationId}:${message.wamid}`, message]));
  // Creates all ids in one go, because ids of one millisecond ascend only if no id of another moment is created in between.
  const unique = [...byWamid.values()].map((message) => ({ ...message, id: newId(nowMs) }));
  const added = new Set<string>();
  for (const set of inSets(unique)) for (const wamid of await insertInbound(tx, set, nowMs)) added.add(wamid);

  const newest = new Map<string, Inbound>();
  for (const { organizationId, numberId, from, type, atMs, value } of unique) {
    if (from === undefined || type === 'system') continue;
    const contact = conversationKeyOf(from);
    const name = `${numberId}:${contact}`;
    const known = newest.get(name);
    if (known === undefined || known.atMs < atMs) {
      newest.set(name, { organizationId, numberId, contact, atMs, card: contactCardOf(value) });
    }
  }
  for (const set of inSets([...newest.values()])) await recordInbound(tx, set);
  return unique.filter((message) => added.has(message.wamid));
}

/** Returns the person's contact object, JSON text. Undefined if there is none, or one too long to keep beside a window. */
function contactCardOf(value: string | undefined): string | undefined {
  const card = value === undefined ? undefined : readStoredJson(value).rawOf(['contacts', 0]);
  return card === undefined || card.length > CARD_CHARACTERS_MAX ? undefined : card;
}
