import { firstIdAt, madeAtMs } from '../../core/ids.ts';
import { DAY_MS, partitionName } from './partitions.ts';

/** Today and so many days before have partitions that are surely still there: whatever is kept by day is kept for longer. */
const DAYS_BEFORE = 6;

/**
 * What a statement about messages has to look at: one day's partition, or the whole table. Whatever goes by the whole table has
 * PostgreSQL open every day that is kept, even for a single message, which costs several times what the statement itself does.
 */
export interface MessageTable {
  name: string;
  /** The ids it holds: from this one on, below that one. */
  fromId: string;
  toId: string;
}

const ALL: MessageTable = { name: 'message', fromId: firstIdAt(0), toId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Where messages made at `atMs` are; `nowMs` is the time now (both epoch ms). */
export function messageTableAt(atMs: number, nowMs: number): MessageTable {
  const startMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  const daysBefore = Math.floor(nowMs / DAY_MS) - startMs / DAY_MS;
  // A clock that runs ahead makes ids of tomorrow.
  const isAtHand = daysBefore >= -1 && daysBefore <= DAYS_BEFORE;
  if (!isAtHand) return ALL;
  return {
    name: partitionName(ALL.name, startMs),
    fromId: firstIdAt(startMs),
    toId: firstIdAt(startMs + DAY_MS),
  };
}

/** Where all of the messages with these ids are. */
export function messageTableOf(ids: readonly string[], nowMs: number): MessageTable {
  const [first, second] = groupByMessageTable(ids, (id) => id, nowMs);
  return first === undefined || second !== undefined ? ALL : first.table;
}

/** What is about messages, whose ids `idOf` tells, by where these are. */
export function groupByMessageTable<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  nowMs: number,
): { table: MessageTable; items: Item[] }[] {
  const groups = new Map<string, { table: MessageTable; items: Item[] }>();
  // Most are of one day, and naming its table costs more than all else here.
  const groupOfDay = new Map<number, { items: Item[] }>();
  for (const item of items) {
    const day = Math.floor(madeAtMs(idOf(item)) / DAY_MS);
    let group = groupOfDay.get(day);
    if (group === undefined) {
      const table = messageTableAt(day * DAY_MS, nowMs);
      const named = groups.get(table.name) ?? { table, items: [] };
      groups.set(table.name, named);
      groupOfDay.set(day, named);
      group = named;
    }
    group.items.push(item);
  }
  return [...groups.values()];
}

/** A name for a statement's wording for these tables. */
export function nameFor(statement: string, ...tables: readonly MessageTable[]): string {
  return `${statement}@${tables.map(({ name }) => name).join()}`;
}
