import { invalid } from '../core/errors.ts';
import { isUserId } from '../core/ids.ts';
import { conversationKeyOf, digitsOf } from '../core/phone-number.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { findGroupWindow, findWindow } from './queries.ts';
import { isWindowOpen, type WindowOpener, windowOpenUntilMs } from './window.ts';

/** An open window. Times are epoch ms. */
export interface OpenWindow {
  openedAtMs: number;
  expiresAtMs: number;
  by: WindowOpener;
}

const PHONE_NUMBER = /^\+?[ \-.()]*[1-9](?:[ \-.()]*[0-9]){4,14}$/;
/** Groups have ids of letters and digits. */
const GROUP_ID = /^[\w=+/-]{1,200}$/;

/**
 * Returns the window of a number with a person, named by phone number or user id, or with a group, named by its id; undefined if it is
 * closed. Raises VALIDATION_ERROR for any other name.
 */
export async function findOpenWindow(
  { db, clock }: { db: Queryable; clock: Pick<Clock, 'now'> },
  number: { organizationId: string; numberId: number; wabaId: string },
  name: string,
): Promise<OpenWindow | undefined> {
  const { organizationId, numberId, wabaId } = number;
  const key = { organizationId, numberId };
  const person = PHONE_NUMBER.test(name) ? conversationKeyOf(digitsOf(name)) : isUserId(name) ? name : undefined;
  if (person === undefined && !GROUP_ID.test(name)) {
    throw invalid('The path must end with a phone number with country code, a user id, or the id of a group.');
  }
  const window =
    person === undefined
      ? await findGroupWindow(db, { ...key, groupId: name })
      : await findWindow(db, { ...key, wabaId, name: person });
  if (window === undefined) return undefined;
  const expiresAtMs = windowOpenUntilMs(window.openedAtMs);
  return isWindowOpen(expiresAtMs, clock.now()) ? { ...window, expiresAtMs } : undefined;
}
