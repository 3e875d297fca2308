import { firstIdAt, idAfter } from '../../core/ids.ts';
import type { Queryable } from '../../database/database.ts';
import { findStoredPeople } from '../../people/index.ts';
import { findIdByWamid, type MessageRow } from '../queries.ts';
import { type MessageSearch, searchMessages } from './list-queries.ts';
import type { MessageFilter } from './message-filter.ts';

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const END_OF_TIME_MS = Date.UTC(9999, 0);
/** An id is created when a message comes in, its time is recorded when it is stored. They differ by less than this. */
const ID_SLACK_MS = 60_000;

/**
 * Returns a page of an organization's messages, newest first, and the cursor of the next page; undefined at the end. `numberIds` are the
 * small ids of the numbers to read; undefined reads all.
 * A page may be short or empty although more pages follow, if few messages pass the filter.
 */
export async function listMessages(
  db: Queryable,
  organizationId: string,
  filter: Omit<MessageFilter, 'phoneNumberId'>,
  numberIds: number[] | undefined,
): Promise<{ rows: MessageRow[]; next: string | undefined }> {
  const { after, recipient, userId, fromMs, toMs, wamid, ...rest } = filter;
  const only = wamid === undefined ? undefined : await findIdByWamid(db, organizationId, wamid);
  if (wamid !== undefined && only === undefined) return { rows: [], next: undefined };
  const names = [recipient, userId].filter((name) => name !== undefined);
  const people = await Promise.all(names.map((name) => findStoredPeople(db, organizationId, [name])));
  const search: MessageSearch = {
    ...rest,
    organizationId,
    numberIds,
    contacts: intersectionOf(people.map(({ contacts }) => contacts)),
    from: new Date(fromMs ?? 0),
    to: new Date(toMs ?? END_OF_TIME_MS),
    fromId: only ?? firstIdAt(Math.max(0, (fromMs ?? 0) - ID_SLACK_MS)),
    beforeId: [
      after ?? LAST_ID,
      toMs === undefined ? LAST_ID : firstIdAt(Math.max(0, toMs + ID_SLACK_MS)),
      only === undefined ? LAST_ID : idAfter(only),
    ].reduce(earlier),
  };
  return await searchMessages(db, search);
}

/** Returns the items that all lists share; undefined if there are no lists. */
function intersectionOf([first, ...others]: readonly string[][]): string[] | undefined {
  return first?.filter((item) => others.every((list) => list.includes(item)));
}

// Compares ids as text: for lower-case UUIDs this is PostgreSQL's order.
function earlier(first: string, second: string): string {
  return first < second ? first : second;
}
