import type { PersonKey } from '../../conversations/index.ts';
import type { InboundToStore, MessagePerson } from '../../messages/index.ts';
import { isStopMessage, type OptOutAct } from '../../opt-outs/index.ts';
import { phoneNumberOf } from '../../people/index.ts';

/** An item of a number, with all keys of its person. */
interface Keyed extends MessagePerson {
  organizationId: string;
  phoneNumberId: string;
  keys: readonly PersonKey[];
  atMs: number;
}

/** Returns the acts that the platform's reports of people's choices are. */
export function listPreferenceActs(preferences: readonly (Keyed & { stops: boolean })[]): OptOutAct[] {
  return preferences.flatMap((item) => actsOf(item, { source: 'platform', stops: item.stops }));
}

/** Returns the acts of people whose message is a stop word of the organization. Messages in groups are none. */
export function listStopActs(
  written: readonly (InboundToStore & Keyed)[],
  stopWords: ReadonlyMap<string, readonly string[]>,
): OptOutAct[] {
  return written.flatMap((item) => {
    const words = item.groupId === undefined ? (stopWords.get(item.organizationId) ?? []) : [];
    return isStopMessage(words, item.type, item.raw) ? actsOf(item, { source: 'keyword', stops: true }) : [];
  });
}

/** Returns an act for each key of a person: two records of one person may wait to be merged. */
function actsOf(
  { organizationId, phoneNumberId, keys, contact, userId, atMs }: Keyed,
  act: Pick<OptOutAct, 'source' | 'stops'>,
): OptOutAct[] {
  const phoneNumber = phoneNumberOf(contact ?? null) ?? undefined;
  return keys.map(({ contact: person, name, wabaId }) => {
    return { organizationId, phoneNumberId, wabaId, person, name, phoneNumber, userId, atMs, ...act };
  });
}
