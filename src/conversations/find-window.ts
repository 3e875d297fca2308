import { invalid } from '../core/errors.ts';
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
/** Groups have ids of letters and digits; user ids of people have a dot. */
const GROUP_ID = /^[\w=+/-]{1,200}$/;

/**
 * Returns the window of a number with a person, named by phone number, or with a group, named by its id; undefined if it is closed. Raises
 * VALIDATION_ERROR for any other name.
 */
export async function findOpenWindow(
  { db, clock }: { db: Queryable; clock: Pick<Clock, 'now'> },
  { organizationId, numberId }: { organizationId: string; numberId: number },
  name: string,
): Promise<OpenWindow | undefined> {
  const key = { organizationId, numberId };
  if (!PHONE_NUMBER.test(name) && !GROUP_ID.test(name)) {
    throw invalid('The path must end with a phone number with country code, or with the id of a group.');
  }
  const window = PHONE_NUMBER.test(name)
    ? await findWindow(db, { ...key, contact: conversationKeyOf(digitsOf(name)) })
    : await findGroupWindow(db, { ...key, groupId: name });
  if (window === undefined) return undefined;
  const expiresAtMs = windowOpenUntilMs(window.openedAtMs);
  return isWindowOpen(expiresAtMs, clock.now()) ? { ...window, expiresAtMs } : undefined;
}
