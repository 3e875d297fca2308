import { newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { insertOrganization, type Organization, type OrganizationChange } from './queries.ts';

type NewOrganization = OrganizationChange & { name: string };

/** Connects the account of a test organization. `insert` stores the organization in the transaction that stores the account. */
export type ConnectTestAccount = (
  organization: Organization,
  insert: (tx: Queryable) => Promise<void>,
) => Promise<unknown>;

/** Creates a tenant. Its plan is unlimited until another one is set. */
export async function createOrganization(
  deps: { db: Queryable; clock: Clock },
  input: NewOrganization,
): Promise<Organization> {
  const organization = makeOrganization(deps.clock.now(), input, false);
  await insertOrganization(deps.db, organization);
  return organization;
}

/** Creates a test organization together with its account, so that neither is ever stored alone. Raises UNAVAILABLE. */
export async function createTestOrganization(
  deps: { clock: Clock; connectTestAccount: ConnectTestAccount },
  input: NewOrganization,
): Promise<Organization> {
  const organization = makeOrganization(deps.clock.now(), input, true);
  await deps.connectTestAccount(organization, (tx) => insertOrganization(tx, organization));
  return organization;
}

function makeOrganization(nowMs: number, input: NewOrganization, test: boolean): Organization {
  return {
    id: newId(nowMs),
    name: input.name,
    test,
    weight: input.weight ?? 1,
    unknownOutcomePolicy: input.unknownOutcomePolicy ?? 'resend',
    messageTtlSeconds: input.messageTtlSeconds ?? 24 * 60 * 60,
    directSend: input.directSend ?? false,
    phoneNumbers: input.phoneNumbers ?? 'upstream',
    toWithoutPlus: input.toWithoutPlus ?? false,
    contactsAsText: input.contactsAsText ?? false,
    cloudApiCredentials: input.cloudApiCredentials ?? false,
    optOutWords: input.optOutWords ?? [],
    retention: input.retention ?? {},
    keepBodies: input.keepBodies ?? 'until_expiry',
    hasOptOuts: false,
    marketingMessages: input.marketingMessages ?? 'auto',
    createdAt: new Date(nowMs),
  };
}
