import type { SendingNumber } from '../../accounts/index.ts';
import { conversationKeyOf } from '../../core/phone-number.ts';
import type { MessagePerson } from '../../messages/index.ts';
import type { Identified, People, PersonNames, Sighting } from '../../people/index.ts';
import { listNumberItems, type UpstreamPayload } from '../payload/upstream-payload.ts';
import { type OwnershipFacts, ownerOf } from './ownership.ts';

/** An item of a payload that names a person. */
interface PersonItem {
  person: PersonNames;
}

/** The people of a payload's messages and calls, by item. */
export type IdentifiedItems = ReadonlyMap<PersonItem, Identified>;

export interface IdentifyFacts extends OwnershipFacts {
  /** Organizations of the accounts that statements about names come from. */
  statedOwners: ReadonlyMap<string, string | undefined>;
}

/** Finds the person of each message and call of connected numbers, and learns the names that the payloads report. */
export async function identifyItems(
  people: People,
  payloads: readonly UpstreamPayload[],
  facts: IdentifyFacts,
): Promise<IdentifiedItems> {
  const stated = payloads
    .flatMap(({ sameness }) => sameness)
    .flatMap(({ wabaId, names, formerNumbers, atMs }): Sighting[] => {
      const organizationId = facts.statedOwners.get(wabaId);
      return organizationId === undefined ? [] : [{ ...names, formerNumbers, organizationId, wabaId, atMs }];
    });
  const items = payloads.flatMap(listNumberItems);
  const seen = items.flatMap((item) => {
    const number = ownerOf(item, facts);
    return number === undefined ? [] : [{ item, sighting: sightingOf(item, number) }];
  });
  const found = await people.identify([...stated, ...seen.map(({ sighting }) => sighting)]);
  const reported = payloads
    .flatMap(({ statuses }) => statuses)
    .flatMap((item): Sighting[] => {
      const number = facts.numbers.get(item.phoneNumberId);
      const { userIds, parentUserIds } = item.person;
      return number === undefined || userIds.length + parentUserIds.length === 0 ? [] : [sightingOf(item, number)];
    });
  await people.confirm(reported);
  return new Map(seen.flatMap(({ item }, index) => entryOf(item, found[stated.length + index])));
}

function sightingOf(
  { person, atMs }: PersonItem & { atMs: number },
  { organizationId, wabaId }: SendingNumber,
): Sighting {
  return { ...person, organizationId, wabaId, atMs };
}

function entryOf(item: PersonItem, person: Identified | undefined): [PersonItem, Identified][] {
  return person === undefined ? [] : [[item, person]];
}

/** Returns the columns of a message's person. */
export function personOf({ person: names }: PersonItem, person: Identified | undefined): MessagePerson {
  const contact = names.numbers[0] ?? person?.number;
  const isNamed = person !== undefined && contact !== undefined && person.name !== conversationKeyOf(contact);
  return {
    contact,
    pair: person?.number,
    person: isNamed ? person.name : undefined,
    userId: names.userIds[0],
  };
}
