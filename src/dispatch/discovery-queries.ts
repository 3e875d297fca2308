import type { Queryable } from '../database/database.ts';
import { COLUMNS, Q_COLUMNS, type QueueRow, type RawQueueRow, toQueueRow } from './queue-row.ts';

/** Where a discovery stands within one shard: everything up to and including this row has been read. */
export interface DiscoveryCursor {
  shard: number;
  xid: string;
  seq: number;
}

/** One page of a discovery: rows in no particular order, the horizon of its snapshot, and the shards that have more. */
export interface Discovery {
  horizon: string;
  rows: QueueRow[];
  unfinished: DiscoveryCursor[];
}

const DISCOVERY_PAGE_ROWS = 500;

/**
 * Rows that appeared in these shards after their cursors: those other nodes accepted, or with `includeOwn` all of them. A first
 * page starts at a transaction horizon (`xid`, with `seq` 0). A transaction still open when that horizon was taken has an id at
 * least as high, so whatever it commits later is found from the same horizon on: commit order cannot hide a row, as it would
 * from a cursor over `seq`. Pages bound what is held in memory when very much is found.
 */
export async function discoverRows(
  db: Queryable,
  cursors: DiscoveryCursor[],
  nodeId: string,
  includeOwn: boolean,
): Promise<Discovery> {
  const rows = await db.query<RawQueueRow & { horizon: string; shard: number | null; xid: string }>({
    name: 'queue_discover',
    text: `
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, q.shard, q.xid::text AS xid, ${Q_COLUMNS}
      FROM (SELECT) one
      LEFT JOIN (
        unnest($1::smallint[], $2::xid8[], $3::bigint[]) AS c(shard, xid, seq)
        CROSS JOIN LATERAL (
          SELECT s.shard, s.xid, ${COLUMNS.split(', ')
            .map((column) => `s.${column}`)
            .join(', ')}
          FROM send_queue s
          WHERE s.shard = c.shard AND (s.xid, s.seq) > (c.xid, c.seq) AND ($5 OR s.accepted_by <> $4)
          ORDER BY s.xid, s.seq LIMIT ${DISCOVERY_PAGE_ROWS}
        ) q
      ) ON true`,
    values: [
      cursors.map((cursor) => cursor.shard),
      cursors.map((cursor) => cursor.xid),
      cursors.map((cursor) => cursor.seq),
      nodeId,
      includeOwn,
    ],
  });
  const found = rows.filter((row) => row.shard !== null);
  const unfinished = [...Map.groupBy(found, (row) => row.shard)].flatMap(([shard, page]) => {
    const last = page.at(-1);
    return shard === null || last === undefined || page.length < DISCOVERY_PAGE_ROWS
      ? []
      : [{ shard, xid: last.xid, seq: last.seq }];
  });
  return { horizon: rows[0]?.horizon ?? '0', rows: found.map(toQueueRow), unfinished };
}

/** The transaction horizon now: everything committed later has at least this id. */
export async function readHorizon(db: Queryable): Promise<string> {
  const rows = await db.query<{ horizon: string }>({
    name: 'queue_horizon',
    text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  });
  return rows[0]?.horizon ?? '0';
}
