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

/** A node as it says of itself. */
export interface NodeSelf {
  nodeId: string;
  startedAtMs: number;
  /** Whether it serves the API, the platform's webhooks included; undefined leaves what it said before. */
  servesApi: boolean | undefined;
}

/** Says this node lives and whether it does `work`, besides what it said before of other work, and lists who else does. */
export async function beat(db: Queryable, self: NodeSelf, work: SharedWork, works: boolean): Promise<LiveNodes> {
  const rows = await db.query<{ id: string; works: boolean }>({
    name: 'node_beat',
    text: `
      WITH me AS (
        INSERT INTO node (id, started_at, seen_at, dispatches, delivers, serves_api)
        VALUES ($1, $2, now(), $5 AND $3 = 'dispatch', $5 AND $3 = 'deliver', coalesce($6, false))
        ON CONFLICT (id) DO UPDATE
        SET seen_at = now(), dispatches = CASE $3 WHEN 'dispatch' THEN $5 ELSE node.dispatches END,
            delivers = CASE $3 WHEN 'deliver' THEN $5 ELSE node.delivers END, serves_api = coalesce($6, node.serves_api)
      ),
      forgotten AS (DELETE FROM node WHERE seen_at < now() - interval '1 hour'),
      forgotten_term AS (
        DELETE FROM lease_term t WHERE ends_at < now() - interval '1 hour'
          AND NOT EXISTS (SELECT FROM shard_lease l WHERE l.owner = t.owner AND l.expires_at > now())
      )
      SELECT id, CASE $3::text WHEN 'dispatch' THEN dispatches WHEN 'deliver' THEN delivers ELSE false END AS works
      FROM node WHERE seen_at > now() - $4 * interval '1 millisecond' AND id <> $1
      UNION ALL
      SELECT $1::uuid, $5 AND $3 <> 'none'
      ORDER BY id`,
    values: [self.nodeId, new Date(self.startedAtMs), work, LEASE_MS, works, self.servesApi],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return { count: rows.length, workers: rows.filter((row) => row.works).map((row) => row.id) };
}

/** Whether any node serves the API: without one the platform can tell nothing. */
export async function isApiServed(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: 'node_find_api',
    text: "SELECT FROM node WHERE serves_api AND seen_at > now() - $1 * interval '1 millisecond' LIMIT 1",
    values: [LEASE_MS],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return rows.length > 0;
}

/**
 * Has nothing that any node said lie further ahead than it did when it was said: the server's clock was set back since, and a dead node would
 * count as living, and keep its shards, for so long. Whoever lives ends its own work by its own clock before that. What others are
 * writing is left to them, so that nobody waits for anybody here.
 */
export async function boundAhead(db: Queryable): Promise<void> {
  await db.query({
    name: 'lease_bound_ahead',
    // By the time of the row's turn and not of the statement's beginning: one that was renewed in between is no shorter for it.
    text: `
      WITH node_ahead AS MATERIALIZED (
        SELECT id FROM node WHERE seen_at > clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED
      ),
      term_ahead AS MATERIALIZED (
        SELECT owner, work FROM lease_term WHERE ends_at > clock_timestamp() + $1 * interval '1 millisecond'
        FOR NO KEY UPDATE SKIP LOCKED
      ),
      lease_ahead AS MATERIALIZED (
        SELECT shard FROM shard_lease
        WHERE expires_at > clock_timestamp() + $1 * interval '1 millisecond' AND expires_at < 'infinity'
        FOR NO KEY UPDATE SKIP LOCKED
      ),
      seen AS (
        UPDATE node n SET seen_at = least(n.seen_at, clock_timestamp()) FROM node_ahead WHERE n.id = node_ahead.id
      ),
      term AS (
        UPDATE lease_term t SET ends_at = least(t.ends_at, clock_timestamp() + $1 * interval '1 millisecond')
        FROM term_ahead WHERE t.owner = term_ahead.owner AND t.work = term_ahead.work
      )
      UPDATE shard_lease l SET expires_at = least(l.expires_at, clock_timestamp() + $1 * interval '1 millisecond')
      FROM lease_ahead WHERE l.shard = lease_ahead.shard`,
    values: [LEASE_MS],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
}

/** A shard leased to this process. */
export interface HeldShard {
  shard: number;
  epoch: number;
  /**
   * How long ago its lease had ended, in milliseconds, when it was taken or renewed: nobody has worked on it since. Not positive when
   * it had not ended; null when nobody ever had it.
   */
  quietMs: number | null;
}

interface LeaseRow extends Record<string, unknown> {
  shard: number;
  epoch: number;
  quiet_ms: number | null;
}

function toHeldShard({ shard, epoch, quiet_ms: quietMs }: LeaseRow): HeldShard {
  return { shard, epoch, quietMs };
}

const quietSince = (table: string) => `(extract(epoch FROM now() - ${table}.ends_at) * 1000)::float8 AS quiet_ms`;

/** The shards that stand for a kind of work: so many, from the first one on. */
export interface LeasedWork {
  work: SharedWork;
  firstShard: number;
  shardCount: number;
}

/**
 * Has this process's term last a lease's time from now, and answers the shards it has. If the term had ended, they are its own still
 * only where nobody has taken them, and under new epochs: what was begun before is fenced off.
 */
export async function renewLeases(
  db: Queryable,
  owner: string,
  { work, firstShard, shardCount }: LeasedWork,
): Promise<HeldShard[]> {
  const rows = await db.query<LeaseRow>({
    name: 'shard_lease_renew',
    // Whether it had ended is asked once its row is locked: those who take shards may have had to be waited for.
    text: `
      WITH before AS MATERIALIZED (SELECT ends_at FROM lease_term WHERE owner = $1 AND work = $2),
      term AS (
        INSERT INTO lease_term AS t (owner, work, ends_at) VALUES ($1, $2, now() + $5 * interval '1 millisecond')
        -- No later than a lease's time from now, whatever was written before the server's clock was set back.
        ON CONFLICT (owner, work) DO UPDATE
        SET ends_at = greatest(least(t.ends_at, clock_timestamp() + $5 * interval '1 millisecond'), excluded.ends_at)
        RETURNING owner
      ),
      state AS MATERIALIZED (
        SELECT owner, before.ends_at, coalesce(before.ends_at <= clock_timestamp(), true) AS had_ended FROM term LEFT JOIN before ON true
      ),
      own AS (
        SELECT l.shard, l.epoch, state.had_ended FROM state JOIN shard_lease l USING (owner)
        WHERE l.shard >= $3 AND l.shard < $3 + $4 AND l.expires_at > now()
      ),
      begun AS (
        UPDATE shard_lease l SET epoch = l.epoch + 1
        FROM (
          SELECT l.shard FROM own JOIN shard_lease l USING (shard, epoch)
          WHERE own.had_ended ORDER BY l.shard FOR NO KEY UPDATE OF l
        ) locked
        WHERE l.shard = locked.shard
        RETURNING l.shard, l.epoch
      )
      SELECT shard, epoch, ${quietSince('state')}
      FROM (SELECT shard, epoch FROM begun UNION ALL SELECT shard, epoch FROM own WHERE NOT had_ended) mine CROSS JOIN state`,
    values: [owner, work, firstShard, shardCount, LEASE_MS],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return rows.map(toHeldShard);
}

/**
 * Takes those of `shards` that are free: that nobody ever had, that were given back, or whose owner's term has ended. Each comes under
 * a new epoch; rows are never deleted, so epochs only rise. With `seize`, others' shards are taken too: for a process that knows it is
 * alone on its database. Answers what was taken; the owner has renewed its term before.
 */
export async function takeShards(
  db: Queryable,
  owner: string,
  work: SharedWork,
  shards: number[],
  seize: boolean,
): Promise<HeldShard[]> {
  const rows = await db.query<LeaseRow>({
    name: 'shard_lease_take',
    // Terms that have ended are locked against a renewal that has been on its way since before: it finds out, see there.
    text: `
      WITH over AS MATERIALIZED (
        SELECT owner FROM lease_term WHERE work = $3 AND ends_at < now() ORDER BY owner FOR NO KEY UPDATE
      ),
      free AS MATERIALIZED (
        SELECT l.shard, l.epoch, least(l.expires_at, coalesce(t.ends_at, now())) AS ends_at
        FROM shard_lease l LEFT JOIN lease_term t ON t.owner = l.owner AND t.work = $3
        WHERE l.shard = ANY($1::smallint[])
          AND (l.expires_at < now() OR l.owner IN (SELECT owner FROM over) OR l.expires_at = 'infinity' AND t.owner IS NULL OR $4)
      ),
      taken AS (
        INSERT INTO shard_lease AS l (shard, owner, epoch, expires_at)
        SELECT s, $2, coalesce(free.epoch, 0) + 1, 'infinity' FROM unnest($1::smallint[]) AS s LEFT JOIN free ON free.shard = s
        WHERE free.shard IS NOT NULL OR NOT EXISTS (SELECT FROM shard_lease WHERE shard = s)
        ORDER BY s
        ON CONFLICT (shard) DO UPDATE SET owner = $2, epoch = excluded.epoch, expires_at = excluded.expires_at
          WHERE l.epoch = excluded.epoch - 1
        RETURNING shard, epoch
      )
      SELECT taken.shard, taken.epoch, ${quietSince('free')}
      FROM taken LEFT JOIN free USING (shard)`,
    values: [shards, owner, work, seize],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return rows.map(toHeldShard);
}

/** The shards whose queues somebody works on, across all nodes. */
export async function readLeasedShards(db: Queryable): Promise<Set<number>> {
  const rows = await db.query<{ shard: number }>({
    text: `
      SELECT shard FROM shard_lease l
      WHERE expires_at > now()
        AND NOT EXISTS (SELECT FROM lease_term t WHERE t.owner = l.owner AND t.work = 'dispatch' AND t.ends_at < now())`,
  });
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
