import type { Queryable } from '../database/database.ts';

/** How long a lease lasts unless renewed. Renewal comes every quarter of it; a takeover waits for the whole of it. */
export const LEASE_MS = 5_000;
/** A beat that is not answered by then was sent on a dead connection; the next one may still come in time. */
const BEAT_TIMEOUT_MS = 1_500;

/** What a node shares with others: the queues' shards, the delivery's, or nothing. */
export type SharedWork = 'dispatch' | 'deliver' | 'none';

/** Nodes that said they live within a lease's time, the asking one included. */
export interface LiveNodes {
  count: number;
  /** Those that do the work asked about, in order of their ids. */
  workers: string[];
}

/** Says this node lives and whether it does `work`, besides what it said before of other work, and lists who else does. */
export async function beat(
  db: Queryable,
  nodeId: string,
  startedAtMs: number,
  work: SharedWork,
  works: boolean,
): Promise<LiveNodes> {
  const rows = await db.query<{ id: string; works: boolean }>({
    name: 'node_beat',
    text: `
      WITH me AS (
        INSERT INTO node (id, started_at, seen_at, dispatches, delivers)
        VALUES ($1, $2, now(), $5 AND $3 = 'dispatch', $5 AND $3 = 'deliver')
        ON CONFLICT (id) DO UPDATE
        SET seen_at = now(), dispatches = CASE $3 WHEN 'dispatch' THEN $5 ELSE node.dispatches END,
            delivers = CASE $3 WHEN 'deliver' THEN $5 ELSE node.delivers END
      ),
      forgotten AS (DELETE FROM node WHERE seen_at < now() - interval '1 hour')
      SELECT id, CASE $3::text WHEN 'dispatch' THEN dispatches WHEN 'deliver' THEN delivers ELSE false END AS works
      FROM node WHERE seen_at > now() - $4 * interval '1 millisecond' AND id <> $1
      UNION ALL
      SELECT $1::uuid, $5 AND $3 <> 'none'
      ORDER BY id`,
    values: [nodeId, new Date(startedAtMs), work, LEASE_MS, works],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return { count: rows.length, workers: rows.filter((row) => row.works).map((row) => row.id) };
}

/** A shard leased to this process. */
export interface HeldShard {
  shard: number;
  epoch: number;
  /**
   * How long ago its lease had ended, in milliseconds, when it was taken: nobody has worked on it since. Negative when the lease
   * had not ended, because it was this process's own or was seized; null when nobody ever had it.
   */
  quietMs: number | null;
}

/**
 * Acquires or extends leases, one statement for all of them. Another's lease is taken only once it has expired, and an expired
 * one, be it this process's own, under a new epoch: what was begun before is fenced off. Rows are never deleted, so epochs only
 * rise. With `seize`, unexpired leases are taken too: for a process that knows it is alone on its database. Answers the shards
 * held now.
 */
export async function holdLeases(db: Queryable, owner: string, shards: number[], seize: boolean): Promise<HeldShard[]> {
  const rows = await db.query<{ shard: number; epoch: number; quiet_ms: number | null }>({
    name: 'shard_lease_hold',
    text: `
      WITH before AS (SELECT shard, expires_at FROM shard_lease WHERE shard = ANY($1::smallint[])),
      held AS (
        INSERT INTO shard_lease (shard, owner, epoch, expires_at)
        SELECT s, $2, 1, now() + $3 * interval '1 millisecond' FROM unnest($1::smallint[]) AS s ORDER BY s
        ON CONFLICT (shard) DO UPDATE
          SET owner = $2, expires_at = excluded.expires_at,
              epoch = shard_lease.epoch + (shard_lease.owner IS DISTINCT FROM $2 OR shard_lease.expires_at < now())::int
          WHERE shard_lease.owner = $2 OR shard_lease.expires_at < now() OR $4
        RETURNING shard, epoch
      )
      SELECT held.shard, held.epoch, (extract(epoch FROM now() - before.expires_at) * 1000)::float8 AS quiet_ms
      FROM held LEFT JOIN before USING (shard)`,
    values: [shards, owner, LEASE_MS, seize],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return rows.map(({ shard, epoch, quiet_ms: quietMs }) => ({ shard, epoch, quietMs }));
}

/** The shards somebody works on, across all nodes. */
export async function readLeasedShards(db: Queryable): Promise<Set<number>> {
  const rows = await db.query<{ shard: number }>({ text: 'SELECT shard FROM shard_lease WHERE expires_at > now()' });
  return new Set(rows.map(({ shard }) => shard));
}

/** Gives leases back, so that another node may take the shards at once. */
export async function releaseLeases(db: Queryable, owner: string, shards: number[]): Promise<void> {
  await db.query({
    name: 'shard_lease_release',
    text: 'UPDATE shard_lease SET expires_at = least(expires_at, now()) WHERE owner = $1 AND shard = ANY($2::smallint[])',
    values: [owner, shards],
  });
}

/** Says this node is gone. */
export async function leave(db: Queryable, nodeId: string): Promise<void> {
  await db.query({ name: 'node_leave', text: 'DELETE FROM node WHERE id = $1', values: [nodeId] });
}
