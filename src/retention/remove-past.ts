import { firstIdAt, madeAtMs, wamidDigest } from '../core/ids.ts';
import type { Chores } from '../core/run/chores.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { DAY_MS } from '../database/days/partitions.ts';
import { blankMessages, deleteMessageEvents } from '../erasure/index.ts';
import { deleteWamidRefs } from '../messages/index.ts';
import {
  deleteEvents,
  listRetentions,
  lockPastMessages,
  lockPosition,
  removeFileNames,
  storePosition,
} from './queries.ts';

/** Most rows of a table in one transaction: it holds its locks for some milliseconds. */
const MESSAGES_AT_ONCE = 500;
const ROWS_AT_ONCE = 2_000;
/** Days of events that exist at most; older ones are dropped. */
const EVENT_DAYS_MAX = 32;
/** Time by which clocks of nodes and of PostgreSQL may differ. */
const CLOCKS_MS = 60 * 60_000;

interface RemoveDeps {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** Ends the work between two steps once it is stopped. */
  chores: Pick<Chores, 'stopped'>;
}

/**
 * Removes data that an organization keeps for a shorter time than the process: contents and identifiers of messages, events, and names of
 * files. Whole UTC days, as the process's own retention. Each step is a short transaction with its position, so a process that is killed
 * loses at most one step, and two nodes never work on the same data.
 */
export async function removePast({ db, clock, chores }: RemoveDeps): Promise<void> {
  for (const { organizationId, retention } of await listRetentions(db)) {
    const before = (days: number) => (Math.floor(clock.now() / DAY_MS) - days) * DAY_MS;
    const { messages_days: messageDays, events_days: eventDays, media_names_days: nameDays } = retention;
    const steps = [
      messageDays && (() => blankNext(db, organizationId, before(messageDays))),
      eventDays && (() => deleteNext(db, organizationId, before(eventDays))),
      nameDays &&
        (async () =>
          (await removeFileNames(db, organizationId, new Date(before(nameDays)), ROWS_AT_ONCE)) === ROWS_AT_ONCE),
    ];
    for (const step of steps) {
      while (step && !chores.stopped && (await step()));
    }
  }
}

/**
 * Blanks the next messages made before `beforeMs` (epoch ms), and deletes their events and the references from their wamids. Stops at a
 * message that still waits, because its body will be sent. Returns true if more may follow.
 */
function blankNext(db: Database, organizationId: string, beforeMs: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const locked = await lockPosition(tx, organizationId, 'messages');
    if (locked === undefined) return false;
    const range = { afterId: locked.position ?? firstIdAt(0), beforeId: firstIdAt(beforeMs) };
    const found = await lockPastMessages(tx, organizationId, range, MESSAGES_AT_ONCE);
    const waiting = found.findIndex(({ waits }) => waits);
    const past = waiting === -1 ? found : found.slice(0, waiting);
    const [first, last] = [past[0], past.at(-1)];
    if (first === undefined || last === undefined) return false;
    const ids = past.map(({ id }) => id);
    await blankMessages(tx, organizationId, ids);
    await deleteMessageEvents(tx, organizationId, ids, new Date(madeAtMs(first.id) - CLOCKS_MS));
    const digests = past.flatMap(({ wamid }) => (wamid === null ? [] : [wamidDigest(wamid)]));
    if (digests.length > 0) await deleteWamidRefs(tx, digests);
    await storePosition(tx, organizationId, 'messages', last.id);
    return past.length === MESSAGES_AT_ONCE;
  });
}

/** Deletes the next events of days that ended before `beforeMs` (epoch ms). Returns true if more may follow. */
function deleteNext(db: Database, organizationId: string, beforeMs: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const locked = await lockPosition(tx, organizationId, 'events');
    if (locked === undefined) return false;
    const earliestMs = beforeMs - EVENT_DAYS_MAX * DAY_MS;
    const dayMs = Math.max(earliestMs, locked.position === null ? earliestMs : Date.parse(locked.position));
    if (dayMs >= beforeMs) return false;
    const day = { from: new Date(dayMs), to: new Date(dayMs + DAY_MS) };
    const isEmpty = await deleteEvents(tx, organizationId, day, ROWS_AT_ONCE);
    await storePosition(tx, organizationId, 'events', (isEmpty ? day.to : day.from).toISOString());
    return true;
  });
}
