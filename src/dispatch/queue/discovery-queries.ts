import { takeSnapshot } from '../../database/changes/change-feed.ts';
import { parseSnapshot, type Snapshot } from '../../database/changes/snapshot.ts';
import type { Queryable } from '../../database/database.ts';
import { columnsOf, Q_COLUMNS, type QueueRow, type RawQueueRow, toQueueRow } from './queue-row.ts';

/**
 * What a snapshot had not seen: the transactions from `xid` on, and `stillOpen`, older ones that had not ended. These are kept apart,
 * because one that stays open for hours would have every look go through all that was queued, and sent, in the meantime.
 */
export interface Horizon {
  readonly xid: bigint;
  readonly stillOpen: readonly bigint[];
}

/** Where a discovery stands within one shard: of the transactions up to `untilXid`, everything up to and including this row has been read. */
export interface DiscoveryCursor {
  shard: number;
  xid: string;
  seq: number;
  untilXid: string;
}

/** One page of a discovery: rows in no particular order, the horizon of its snapshot, and where there is more that it has seen. */
export interface Discovery {
  horizon: Horizon;
  rows: QueueRow[];
  unfinished: DiscoveryCursor[];
}

const DISCOVERY_PAGE_ROWS = 500;
/** Transactions that began within so many are looked at together. */
const TOGETHER_XIDS = 1_000n;
const XID_MAX = String(2n ** 64n - 1n);

/** The cursors to begin with, to find in a shard what lies beyond a horizon. */
export function cursorsFrom(shard: number, { xid, stillOpen }: Horizon): DiscoveryCursor[] {
  return [
    { shard, xid: String(xid), seq: 0, untilXid: XID_MAX },
    ...stillOpen.map((open) => ({ shard, xid: String(open), seq: 0, untilXid: String(open) })),
  ];
}

/**
 * Rows that appeared in these shards after their cursors: those other nodes accepted, or with `includeOwn` all of them. Whatever had
 * not been committed when a horizon was taken lies beyond it: commit order cannot hide a row, as it would from a cursor over
 * `seq`. Pages bound what is held in memory when very much is found.
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
        unnest($1::smallint[], $2::xid8[], $3::bigint[], $6::xid8[]) AS c(shard, xid, seq, until_xid)
        CROSS JOIN LATERAL (
          SELECT s.shard, s.xid, c.until_xid, ${columnsOf('s')}
          FROM send_queue s
          WHERE s.shard = c.shard AND (s.xid, s.seq) > (c.xid, c.seq) AND s.xid <= c.until_xid
            AND ($5 OR s.accepted_by <> $4)
          ORDER BY s.xid, s.seq LIMIT ${DISCOVERY_PAGE_ROWS}
        ) q
      ) ON true`,
      values: [
        cursors.map((cursor) => cursor.shard),
        cursors.map((cursor) => cursor.xid),
        cursors.map((cursor) => cursor.seq),
        nodeId,
        includeOwn,
        cursors.map((cursor) => cursor.untilXid),
      ],
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

/** The horizon now. */
export async function readHorizon(db: Queryable): Promise<Horizon> {
  return horizonOf(parseSnapshot(await takeSnapshot(db)));
}

function horizonOf({ next, open }: Snapshot): Horizon {
  const stillOpen = open.filter((xid) => xid + TOGETHER_XIDS < next);
  return { xid: open.at(stillOpen.length) ?? next, stillOpen };
}
