import { AppError } from '../core/errors.ts';
import { publishChange } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { messageNotFound } from '../messages/index.ts';
import { findStoredPeople } from '../people/index.ts';
import {
  BUSY_MAX,
  type CancelSearch,
  findRecipient,
  listNumberIds,
  markBusyCancelled,
  markCancelled,
  markOneCancelled,
  type QueuePosition,
} from './queries.ts';

export interface CancelDeps {
  db: Queryable;
  /** Finds a number of the organization; raises ACCOUNT_NOT_FOUND. */
  accounts: {
    getNumber(organizationId: string, phoneNumberId: string): { numberId: number } | Promise<{ numberId: number }>;
  };
}

/** Selects the waiting messages to cancel; undefined members do not narrow. Times are epoch ms. */
export interface CancelFilter {
  phoneNumberId: string | undefined;
  /** The recipient's number, digits. */
  recipient: string | undefined;
  /** The recipient's user id. */
  userId: string | undefined;
  type: string | undefined;
  template: string | undefined;
  callbackData: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
  /** Position at which an earlier call stopped. */
  after: QueuePosition | undefined;
}

const EVERY_MESSAGE: CancelFilter = {
  phoneNumberId: undefined,
  recipient: undefined,
  userId: undefined,
  type: undefined,
  template: undefined,
  callbackData: undefined,
  fromMs: undefined,
  toMs: undefined,
  after: undefined,
};
const SCAN_MAX = 1_000;
const SCANS_MAX = 40;
const END_OF_TIME_MS = Date.UTC(9999, 0);

/**
 * Cancels waiting messages of the organization. Resolves when that is durable: each soon ends as `failed` with CANCELLED, unless it is
 * in flight at this moment. Returns their number, and a position to continue from if one call was not enough. Raises ACCOUNT_NOT_FOUND.
 */
export async function cancelMessages(
  { db, accounts }: CancelDeps,
  organizationId: string,
  filter: CancelFilter,
): Promise<{ cancelled: number; after: QueuePosition | undefined }> {
  const { phoneNumberId, recipient, userId, fromMs, toMs, after, ...rest } = filter;
  const only = phoneNumberId === undefined ? undefined : await accounts.getNumber(organizationId, phoneNumberId);
  const numberIds =
    only === undefined ? await listNumberIds(db, organizationId, after?.numberId ?? 0) : [only.numberId];
  const people = await Promise.all(
    [recipient, userId].map((name) => name && findStoredPeople(db, organizationId, [name])),
  );
  const keys = people.flatMap((person) => (person ? [person.keys] : []));
  const search: Omit<CancelSearch, 'after'> = {
    ...rest,
    organizationId,
    contacts: keys[0]?.filter((key) => keys.every((list) => list.includes(key))),
    from: new Date(fromMs ?? 0),
    to: new Date(toMs ?? END_OF_TIME_MS),
    scanMax: SCAN_MAX,
  };
  let cancelled = 0;
  let scans = 0;
  const end = async (place: QueuePosition | undefined) => {
    if (cancelled > 0) await publishChange(db, 'cancellation', organizationId);
    return { cancelled, after: place };
  };
  for (const numberId of numberIds) {
    let place: QueuePosition | undefined = after?.numberId === numberId ? after : { numberId, flowId: 0, seq: 0 };
    while (place !== undefined) {
      if (scans === SCANS_MAX) return await end(place);
      scans += 1;
      const marked = await markCancelled(db, { ...search, after: place });
      cancelled += marked.cancelled;
      for (const message of marked.busy) if (await markBusyCancelled(db, numberId, message)) cancelled += 1;
      if (marked.busy.length < BUSY_MAX) place = marked.last;
    }
  }
  return await end(undefined);
}

/** Cancels all waiting messages of the organization to one person, named by digits or user id. */
export async function cancelWaitingTo(deps: CancelDeps, organizationId: string, name: string): Promise<void> {
  const isNumber = /^\d+$/.test(name);
  let after: QueuePosition | undefined;
  do {
    const filter = { ...EVERY_MESSAGE, [isNumber ? 'recipient' : 'userId']: name, after };
    ({ after } = await cancelMessages(deps, organizationId, filter));
  } while (after !== undefined);
}

/**
 * Cancels one waiting message, as `cancelMessages` does. A message that is already cancelled stays so. Raises NOT_FOUND, and CONFLICT for
 * a message that no longer waits or may have been sent.
 */
export async function cancelMessage({ db }: CancelDeps, organizationId: string, id: string): Promise<void> {
  const message = await findRecipient(db, organizationId, id);
  if (message === undefined) throw messageNotFound();
  const { keys } = await findStoredPeople(db, organizationId, message.names);
  if (!(await markOneCancelled(db, message.numberId, keys, id))) {
    throw new AppError('CONFLICT', 'The message does not wait any more, or it is not known yet if it was sent.');
  }
  await publishChange(db, 'cancellation', organizationId);
}
