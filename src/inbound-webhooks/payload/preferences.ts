import type { PersonNames } from '../../people/index.ts';
import { contactFinder, personNames } from './contact-finder.ts';
import { listOf, timeMs } from './upstream-values.ts';

/** A person's choice about marketing from a number, as the platform reports it. */
export interface MarketingPreference {
  phoneNumberId: string;
  /** Business account that it is reported under. */
  wabaId: string | undefined;
  person: PersonNames;
  /** True if the person wants no marketing. */
  stops: boolean;
  /** Epoch ms. */
  atMs: number;
}

/** Returns the choices about marketing in a value of the field `user_preferences`. Other categories and words are left out. */
export function readPreferences(
  value: Readonly<Record<string, unknown>>,
  place: Pick<MarketingPreference, 'phoneNumberId' | 'wabaId'>,
  receivedAtMs: number,
): MarketingPreference[] {
  const contacts = listOf(value.contacts);
  const findContact = contactFinder(contacts);
  return listOf(value.user_preferences)
    .filter(({ category, value: word }) => category === 'marketing_messages' && (word === 'stop' || word === 'resume'))
    .map(({ wa_id: number, user_id: userId, parent_user_id: parentUserId, value: word, timestamp }) => {
      const ids = { number, userId, parentUserId };
      const person = personNames(ids, contacts[findContact(ids) ?? -1]);
      return { ...place, person, stops: word === 'stop', atMs: timeMs(timestamp, receivedAtMs) };
    });
}
