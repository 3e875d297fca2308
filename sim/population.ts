import type { Random } from '../src/core/seeded-random.ts';
import type { Caller } from '../src/http/index.ts';
import { conversationKey, type NumberRow, type Tables } from './store/tables.ts';
import { EPOCH_MS } from './virtual-process.ts';
import type { Traffic } from './weather.ts';

/** A person who can be messaged from one number. */
export interface Recipient {
  number: NumberRow;
  /** API keys of an organization. */
  callersOf: (organizationId: string) => Caller[];
  /** The phone number as clients write it. */
  to: string;
  contact: string;
}

const id = (kind: number, index: number) => `00000000-000${kind}-7000-8000-${index.toString(16).padStart(12, '0')}`;

/** Returns the id of the `index`-th node started. */
export const nodeIdOf = (index: number) => id(1, index);

/** Fills the tables with tenants, their numbers and open windows; returns the possible recipients. */
export function populate(tables: Tables, random: Random, traffic: Traffic): Recipient[] {
  const organizations = Array.from({ length: traffic.organizations }, (_, index) => ({
    id: id(2, index),
    weight: random.pick([1, 3]),
    unknownOutcomePolicy: random.chance(traffic.failPolicy) ? ('fail' as const) : ('resend' as const),
    messageTtlSeconds: traffic.messageTtlSeconds,
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
    tables.wabas.set(wabaId, { organizationId, wabaId, tokenVersion: 1, readAtMs: 0, parkedCode: null });
    return Array.from({ length: traffic.recipientsPerNumber }, (__, person) => {
      const contact = `1555100${numberId}${person.toString().padStart(3, '0')}`;
      const isOpen = random.chance(0.5);
      if (isOpen) {
        tables.conversations.set(conversationKey(number.organizationId, numberId, contact), EPOCH_MS - 60_000);
      }
      return { number, callersOf, to: `+${contact}`, contact };
    });
  });
}
