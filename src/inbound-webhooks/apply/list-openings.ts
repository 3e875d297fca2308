import { opensWindow, type PersonKey, type WindowOpening } from '../../conversations/index.ts';
import { readStoredJson } from '../../core/json/index.ts';
import type { InboundToStore } from '../../messages/index.ts';

/** Longest contact object kept beside a window, in characters. */
const CARD_CHARACTERS_MAX = 2_000;

/** An item of a number, with all keys of its person's window. */
interface Keyed {
  organizationId: string;
  numberId: number;
  keys: readonly PersonKey[];
  atMs: number;
}

/** Returns the windows that people's messages and calls open (api-rules#window). */
export function listOpenings(inbound: readonly (InboundToStore & Keyed)[], calls: readonly Keyed[]): WindowOpening[] {
  const written = inbound.flatMap(({ organizationId, numberId, keys, groupId, type, atMs, value }) => {
    if (!opensWindow(type)) return [];
    const opened = groupId !== undefined ? [{ groupId }] : keys;
    const card = opened.length === 0 ? undefined : contactCardOf(value);
    return opened.map((of) => ({ organizationId, numberId, of, atMs, by: 'message' as const, card }));
  });
  const called = calls.flatMap(({ organizationId, numberId, keys, atMs }) =>
    keys.map((of) => ({ organizationId, numberId, of, atMs, by: 'call' as const })),
  );
  return [...written, ...called];
}

/** Returns the person's contact object, JSON text. Undefined if there is none, or one too long to keep beside a window. */
function contactCardOf(value: string | undefined): string | undefined {
  const card = value === undefined ? undefined : readStoredJson(value).rawOf(['contacts', 0]);
  return card === undefined || card.length > CARD_CHARACTERS_MAX ? undefined : card;
}
