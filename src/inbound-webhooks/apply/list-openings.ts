import { opensWindow, type WindowOpening } from '../../conversations/index.ts';
import { readStoredJson } from '../../core/json/index.ts';
import { conversationKeyOf } from '../../core/phone-number.ts';
import type { InboundToStore } from '../../messages/index.ts';

/** Longest contact object kept beside a window, in characters. */
const CARD_CHARACTERS_MAX = 2_000;

/** A call of a person with a number of an organization. */
interface OwnedCall {
  organizationId: string;
  numberId: number;
  contact: string;
  atMs: number;
}

/** Returns the windows that people's messages and calls open (api-rules#window). A person without a number has none. */
export function listOpenings(inbound: readonly InboundToStore[], calls: readonly OwnedCall[]): WindowOpening[] {
  const written = inbound.flatMap(({ organizationId, numberId, from, groupId, type, atMs, value }) => {
    const of =
      groupId !== undefined ? { groupId } : from !== undefined ? { contact: conversationKeyOf(from) } : undefined;
    if (of === undefined || !opensWindow(type)) return [];
    return [{ organizationId, numberId, of, atMs, by: 'message' as const, card: contactCardOf(value) }];
  });
  const called = calls.map(({ organizationId, numberId, contact, atMs }) => {
    return { organizationId, numberId, of: { contact }, atMs, by: 'call' as const };
  });
  return [...written, ...called];
}

/** Returns the person's contact object, JSON text. Undefined if there is none, or one too long to keep beside a window. */
function contactCardOf(value: string | undefined): string | undefined {
  const card = value === undefined ? undefined : readStoredJson(value).rawOf(['contacts', 0]);
  return card === undefined || card.length > CARD_CHARACTERS_MAX ? undefined : card;
}
