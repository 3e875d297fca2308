import { newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { insertOrganization, type Organization, type OrganizationChange } from './queries.ts';

/** Creates a tenant. Its plan is unlimited until another one is set. */
export async function createOrganization(
  deps: { db: Queryable; clock: Clock },
  input: OrganizationChange & { name: string; test?: boolean | undefined },
): Promise<Organization> {
  const nowMs = deps.clock.now();
  const organization: Organization = {
    id: newId(nowMs),
    name: input.name,
    test: input.test ?? false,
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
  await insertOrganization(deps.db, organization);
  return organization;
}
