import { firstIdAt, madeAtMs } from '../../core/ids.ts';
import { DAY_MS, partitionName } from './partitions.ts';

/** Days before today whose partitions surely exist: every daily table is retained for longer. */
const DAYS_BEFORE = 6;

/**
 * The table that a statement about messages uses: one day's partition, or the whole table. A statement on the whole table makes
 * PostgreSQL open every retained day, even for one message, which costs several times the statement itself.
 */
export interface MessageTable {
  name: string;
  /** Range of the ids in it: from `fromId` inclusive to `toId` exclusive. */
  fromId: string;
  toId: string;
}

const ALL: MessageTable = { name: 'message', fromId: firstIdAt(0), toId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** The table of messages made at `atMs`; `nowMs` is the time now (both epoch ms). */
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

/** The table that holds all messages with these ids. */
export function messageTableOf(ids: readonly string[], nowMs: number): MessageTable {
  const [first, second] = groupByMessageTable(ids, (id) => id, nowMs);
  return first === undefined || second !== undefined ? ALL : first.table;
}

/** Groups items by the table of their message; `idOf` returns the id of an item's message. */
export function groupByMessageTable<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  nowMs: number,
): { table: MessageTable; items: Item[] }[] {
  const groups = new Map<string, { table: MessageTable; items: Item[] }>();
  // Most items share a day, and building a table's name costs more than the rest of the loop.
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

/** The name of a prepared statement whose text depends on these tables. */
export function nameFor(statement: string, ...tables: readonly MessageTable[]): string {
  return `${statement}@${tables.map(({ name }) => name).join()}`;
}
