import { arrayTable } from '../../database/batching/array-table.ts';
import { takeSnapshot } from '../../database/changes/change-queries.ts';
import { parseSnapshot, type Snapshot } from '../../database/changes/snapshot.ts';
import type { Queryable } from '../../database/database.ts';
import { columnsOf, Q_COLUMNS, type QueueRow, type RawQueueRow, toQueueRow } from './queue-row.ts';

/**
 * The transactions that a snapshot had not seen: those from `xid` on, and older ones still open (`stillOpen`). These are kept apart.
 * Without this, a transaction open for hours makes every look scan all rows queued and sent in the meantime.
 */
export interface Horizon {
  readonly xid: bigint;
  readonly stillOpen: readonly bigint[];
}

/** Position of a discovery within one shard: of the transactions up to `untilXid`, every row up to and including this one has been read. */
export interface DiscoveryCursor {
  shard: number;
  xid: string;
  seq: number;
  untilXid: string;
}

/** The cursors of a statement, after the node and whether its own rows count. */
export const CURSORS = arrayTable<DiscoveryCursor>(3)({
  shard: ['smallint', (cursor) => cursor.shard],
  xid: ['xid8', (cursor) => cursor.xid],
  seq: ['bigint', (cursor) => cursor.seq],
  until_xid: ['xid8', (cursor) => cursor.untilXid],
});

/** One page of a discovery: rows in no particular order, the horizon of its snapshot, and the cursors of shards with more rows. */
export interface Discovery {
  horizon: Horizon;
  rows: QueueRow[];
  unfinished: DiscoveryCursor[];
}

const DISCOVERY_PAGE_ROWS = 500;
/** Open transactions within this many ids are covered by one range. */
const TOGETHER_XIDS = 1_000n;
const XID_MAX = String(2n ** 64n - 1n);

/** Returns the first cursors for the rows of a shard beyond a horizon. */
export function cursorsFrom(shard: number, { xid, stillOpen }: Horizon): DiscoveryCursor[] {
  return [
    { shard, xid: String(xid), seq: 0, untilXid: XID_MAX },
    ...stillOpen.map((open) => ({ shard, xid: String(open), seq: 0, untilXid: String(open) })),
  ];
}

/**
 * Returns rows that appeared in these shards after their cursors: those accepted by other nodes, or with `includeOwn` every row. Every row
 * not committed when a horizon was taken lies beyond it. A cursor over `seq` would miss rows, because commit order is not sequence order.
 * Pages bound the memory if many rows are found.
 */
export async function discoverRows(
  db: Queryable,
  cursors: DiscoveryCursor[],
  nodeId: string,
  includeOwn: boolean,
): Promise<Discovery> {
  const rows = await db.query<RawQueueRow & { snapshot: string; shard: number | null; xid: string; until_xid: string }>(
    {
      name: 'queue_discover',
      text: `
      SELECT pg_current_snapshot()::text AS snapshot, q.shard, q.xid::text AS xid, q.until_xid::text AS until_xid, ${Q_COLUMNS}
      FROM (SELECT) one
      LEFT JOIN (
        ${CURSORS.from('c')}
        CROSS JOIN LATERAL (
          SELECT s.shard, s.xid, c.until_xid, ${columnsOf('s')}
          FROM send_queue s
          WHERE s.shard = c.shard AND (s.xid, s.seq) > (c.xid, c.seq) AND s.xid <= c.until_xid
            AND ($2 OR s.accepted_by <> $1)
          ORDER BY s.xid, s.seq LIMIT ${DISCOVERY_PAGE_ROWS}
        ) q
      ) ON true`,
      values: [nodeId, includeOwn, ...CURSORS.values(cursors)],
    },
  );
  const found = rows.filter((row) => row.shard !== null);
  const snapshot = parseSnapshot(rows[0]?.snapshot ?? '');
  const pages = Map.groupBy(found, (row) => `${row.shard}:${row.until_xid}`);
  const unfinished = [...pages.values()].flatMap((page) => {
    const last = page.at(-1);
    if (last?.shard == null || page.length < DISCOVERY_PAGE_ROWS) return [];
    const seenUntil = snapshot.next - 1n;
    const untilXid = BigInt(last.until_xid) < seenUntil ? last.until_xid : String(seenUntil);
    return [{ shard: last.shard, xid: last.xid, seq: last.seq, untilXid }];
  });
  return { horizon: horizonOf(snapshot), rows: found.map(toQueueRow), unfinished };
}

/** Returns the current horizon. */
export async function readHorizon(db: Queryable): Promise<Horizon> {
  return horizonOf(parseSnapshot(await takeSnapshot(db)));
}

function horizonOf({ next, open }: Snapshot): Horizon {
  const stillOpen = open.filter((xid) => xid + TOGETHER_XIDS < next);
  return { xid: open.at(stillOpen.length) ?? next, stillOpen };
}
