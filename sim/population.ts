import type { Random } from '../src/core/seeded-random.ts';
import type { Caller } from '../src/http/index.ts';
import { type MarketingRules, TEMPLATES } from './marketing-rules.ts';
import type { PeopleBook, Person } from './people/person.ts';
import type { ModelStore } from './store/model-store.ts';
import { aliasKey, conversationKey, type NumberRow, templateKey } from './store/tables.ts';
import { EPOCH_MS } from './virtual-process.ts';
import type { Traffic } from './weather.ts';

/** A person who can be messaged from one number. */
export interface Recipient {
  number: NumberRow;
  /** API keys of an organization. */
  callersOf: (organizationId: string) => Caller[];
  person: Person;
  /** Names that clients address the person by. */
  knownBy: 'number' | 'id' | 'both';
}

const id = (kind: number, index: number) => `00000000-000${kind}-7000-8000-${index.toString(16).padStart(12, '0')}`;

/** Returns the id of the `index`-th node started. */
export const nodeIdOf = (index: number) => id(1, index);

/** Fills the tables with tenants, their numbers and open windows, and the book with people; returns the possible recipients. */
export function populate(
  {
    store,
    book,
    random,
    marketing,
  }: { store: ModelStore; book: PeopleBook; random: Random; marketing: MarketingRules },
  traffic: Traffic,
): Recipient[] {
  const { tables } = store;
  const organizations = Array.from({ length: traffic.organizations }, (_, index) => ({
    id: id(2, index),
    weight: random.pick([1, 3]),
    unknownOutcomePolicy: random.chance(traffic.failPolicy) ? ('fail' as const) : ('resend' as const),
    messageTtlSeconds: traffic.messageTtlSeconds,
    marketingMessages: random.pick(traffic.marketingMessages),
    marketingChangedAtMs: null,
    plan:
      traffic.monthlyMessageLimit === null
        ? undefined
        : { monthlyMessageLimit: traffic.monthlyMessageLimit, monthlyBudgetMicros: null },
  }));
  const callersOf = (organizationId: string) =>
    Array.from({ length: traffic.apiKeys }, (_, key) => {
      const owner = organizations.findIndex((organization) => organization.id === organizationId);
      const keyNumber = 1 + owner + key * organizations.length;
      return { organizationId, apiKeyId: id(4, keyNumber), keyNumber, limits: null };
    });
  for (const organization of organizations) tables.organizations.set(organization.id, organization);
  return Array.from({ length: traffic.numbers }, (_, index) => index + 1).flatMap((numberId) => {
    const owner = numberId % organizations.length;
    const number: NumberRow = {
      organizationId: id(2, owner),
      phoneNumberId: `10000${numberId}`,
      accountId: id(3, numberId),
      numberId,
      wabaId: `20000${owner}`,
      phoneNumber: `1555000${numberId}`,
      messagesPerSecond: traffic.messagesPerSecond,
      registered: true,
      paused: false,
      parkedCode: null,
      releasedAtMs: null,
    };
    tables.numbers.set(numberId, number);
    const { organizationId, wabaId } = number;
    const isOnboarded = marketing.isOnboarded(wabaId) || random.chance(traffic.onboarded);
    marketing.setOnboarded(wabaId, isOnboarded);
    tables.wabas.set(wabaId, {
      ...{ organizationId, wabaId, tokenVersion: 1, readAtMs: 0, parkedCode: null },
      ...{ marketingMessages: null, isOnboarded, marketingForbidden: false, marketingChangedAtMs: null },
    });
    for (const one of organizations) recordTemplates(store, one.id, wabaId);
    return Array.from({ length: traffic.recipientsPerNumber }, (__, index) => {
      const phone = `1555100${numberId}${index.toString().padStart(3, '0')}`;
      const hasUserId = random.chance(traffic.userIds);
      const isHidden = hasUserId && random.chance(0.3);
      const person = book.add(number, phone, { hasUserId, isHidden });
      const knownBy = hasUserId ? random.pick(['number', 'id', 'both', 'both'] as const) : 'number';
      const key = random.chance(0.5) ? recordPerson(store, person) : phone;
      if (random.chance(0.5)) {
        tables.conversations.set(conversationKey(number.organizationId, numberId, key), EPOCH_MS - 60_000);
      }
      return { number, callersOf, person, knownBy };
    });
  });
}

/** Stores the templates of an account, as an organization that has it or connects it knows them. */
function recordTemplates({ tables }: ModelStore, organizationId: string, wabaId: string): void {
  for (const name of TEMPLATES)
    tables.templates.set(templateKey(organizationId, wabaId, name), {
      ...{ organizationId, wabaId, name, category: name.toUpperCase() },
      ...{ marketingRefused: false, marketingChangedAtMs: null },
    });
}

/** Stores the names under which a person has written before, and returns the person's key. */
function recordPerson(store: ModelStore, { number, phone, userId, isHidden }: Person): string {
  if (userId === undefined) return phone;
  const { organizationId, wabaId } = number;
  const person = isHidden ? String(store.nextPersonNumber()) : phone;
  const personName = isHidden ? userId : phone;
  const row = { organizationId, wabaId, alias: userId, kind: 1, person, personName, learnedAtMs: EPOCH_MS - 60_000 };
  store.tables.aliases.set(aliasKey(organizationId, wabaId, userId), row);
  return person;
}
