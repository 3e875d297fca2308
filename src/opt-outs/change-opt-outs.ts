import type { Accounts } from '../accounts/index.ts';
import { AppError, invalid } from '../core/errors.ts';
import { isUserId, isUuid } from '../core/ids.ts';
import { conversationKeyOf, parseLenientRecipient } from '../core/phone-number.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { recordEvents } from '../events/index.ts';
import type { People } from '../people/index.ts';
import { type AppliedOptOut, applyOptOutActs, eventOf } from './apply-acts.ts';
import { endOptOut } from './queries.ts';

export interface OptOutDeps {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'getNumber' | 'listNumberIds'>;
  people: Pick<People, 'enroll' | 'identify'>;
}

/**
 * Opts a person out of marketing from a number. `name` is a phone number with country code, or a user id.
 * Raises VALIDATION_ERROR, ACCOUNT_NOT_FOUND.
 */
export async function addOptOut(
  { db, clock, accounts, people }: OptOutDeps,
  organizationId: string,
  phoneNumberId: string,
  name: string,
): Promise<AppliedOptOut> {
  const digits = readPerson(name);
  const { wabaId } = await accounts.getNumber(organizationId, phoneNumberId);
  const account = { organizationId, wabaId };
  const nowMs = clock.now();
  const person =
    digits === undefined
      ? await people.enroll(account, name)
      : await keyOfNumber(people, { ...account, numbers: [digits], userIds: [], parentUserIds: [], atMs: nowMs });
  const known = { wabaId, person, name: digits === undefined ? name : conversationKeyOf(digits) };
  const act = { organizationId, phoneNumberId, ...known, source: 'api', stops: true, atMs: nowMs } as const;
  const names = { phoneNumber: digits, userId: digits === undefined ? name : undefined };
  const [added] = await db.transaction((tx) => applyOptOutActs(tx, [{ ...act, ...names }], nowMs));
  if (added === undefined) throw new Error('an opt-out by the API is always stored');
  return added;
}

/** Returns the digits of a phone number, or undefined for a user id. Raises VALIDATION_ERROR for any other text. */
export function readPerson(name: string): string | undefined {
  const digits = parseLenientRecipient(name);
  if (digits === undefined && !isUserId(name)) {
    throw invalid('"person" must be a phone number with country code, or a user id such as "US.13491208655302741918".');
  }
  return digits;
}

async function keyOfNumber(
  people: OptOutDeps['people'],
  sighting: Parameters<People['identify']>[0][number],
): Promise<string> {
  const [known] = await people.identify([sighting]);
  return known?.number ?? conversationKeyOf(sighting.numbers[0] ?? '');
}

/**
 * Ends an opt-out, of one of these numbers or of any number if `phoneNumberIds` is undefined. The platform's own block of marketing, if
 * there is one, remains. Raises NOT_FOUND.
 */
export async function removeOptOut(
  { db, clock }: Pick<OptOutDeps, 'db' | 'clock'>,
  organizationId: string,
  id: string,
  phoneNumberIds: readonly string[] | undefined,
): Promise<void> {
  if (!isUuid(id)) throw notFound();
  const nowMs = clock.now();
  await db.transaction(async (tx) => {
    const ended = await endOptOut(tx, organizationId, { id, phoneNumberIds }, new Date(nowMs));
    if (ended === undefined) throw notFound();
    await recordEvents(tx, [eventOf('opt_out.removed', organizationId, ended, nowMs)]);
  });
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no opt-out with this id.');
}
