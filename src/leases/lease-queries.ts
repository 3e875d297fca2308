import type { ArrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';

/** Lifetime of a lease, in milliseconds, unless renewed. It is renewed after a quarter; a takeover waits for all of it. */
export const LEASE_MS = 5_000;
/** Time limit for a heartbeat. A later answer means a dead connection, and the next beat may still come in time. */
const BEAT_TIMEOUT_MS = 1_500;

/** Work that nodes share: the shards of the queues, those of the delivery, or nothing. */
export type SharedWork = 'dispatch' | 'deliver' | 'none';

/** True if any node serves the API: without such a node the platform cannot report anything. */
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
 * Shortens all heartbeats and leases to the furthest end they could have had when written. Without this, after the server's clock was set
 * back, a dead node would count as alive and keep its shards for that time. A living node ends its own work earlier, by its own clock.
 * Rows that other transactions are writing are skipped, so that no transaction waits for another here.
 */
export async function boundAhead(db: Queryable): Promise<void> {
  await db.query({
    name: 'lease_bound_ahead',
    // Uses the time at the row's turn, not at the statement's start: a lease renewed in between must not be shortened.
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
   * Milliseconds since the end of the shard's previous lease, when it was taken or renewed: no node has worked on it since. Zero or
   * negative if that lease had not ended; null if the shard never had an owner.
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

/** The range of shards for a kind of work: `shardCount` shards from `firstShard` on. */
export interface LeasedWork {
  work: SharedWork;
  firstShard: number;
  shardCount: number;
}

/** A node's own data, as it reports them. */
export interface NodeSelf {
  nodeId: string;
  startedAtMs: number;
  /** True if it serves the API, including the platform's webhooks. */
  servesApi: boolean;
  /** Work whose leases are renewed. `isLeaving` if the node takes no more of its shards. */
  works: readonly (LeasedWork & { isLeaving: boolean })[];
}

/** A node that sent a heartbeat within the last LEASE_MS. */
export interface LiveNode {
  id: string;
  /** Work whose shards the node takes. */
  works: SharedWork[];
}

type BeatRow = { id: string; dispatches: boolean; delivers: boolean; shard: null } | ({ id: null } & LeaseRow);

/**
 * Reports that this node is alive, and extends its terms to LEASE_MS from now. Returns the live nodes in ascending order, including this one,
 * and the shards of this node. If a term had ended, the node keeps only shards that no other node has taken, under new epochs: work begun
 * under the old epoch is fenced off.
 */
export async function beat(
  db: Queryable,
  { nodeId, startedAtMs, servesApi, works }: NodeSelf,
): Promise<{ nodes: LiveNode[]; held: HeldShard[] }> {
  const leased = works.filter(({ work }) => work !== 'none');
  const takes = (work: SharedWork) => leased.some((one) => one.work === work && !one.isLeaving);
  const rows = await db.query<BeatRow>({
    name: 'node_beat',
    // The end is checked once the row is locked: the lock may have had to wait for nodes that were taking shards.
    text: `
      WITH me AS (
        INSERT INTO node (id, started_at, seen_at, serves_api, dispatches, delivers) VALUES ($1, $2, now(), $3, $4, $5)
        ON CONFLICT (id) DO UPDATE
        SET seen_at = now(), serves_api = excluded.serves_api, dispatches = excluded.dispatches, delivers = excluded.delivers
      ),
      forgotten AS (DELETE FROM node WHERE seen_at < now() - interval '1 hour'),
      forgotten_term AS (
        DELETE FROM lease_term t WHERE ends_at < now() - interval '1 hour'
          AND NOT EXISTS (SELECT FROM shard_lease l WHERE l.owner = t.owner AND l.expires_at > now())
      ),
      works AS MATERIALIZED (SELECT * FROM unnest($7::text[], $8::int[], $9::int[]) AS w (work, first_shard, shard_count)),
      before AS MATERIALIZED (SELECT work, ends_at FROM lease_term WHERE owner = $1),
      term AS (
        INSERT INTO lease_term AS t (owner, work, ends_at)
        SELECT $1, work, now() + $6 * interval '1 millisecond' FROM works ORDER BY work
        -- No later than a lease's time from now, whatever was written before the server's clock was set back.
        ON CONFLICT (owner, work) DO UPDATE
        SET ends_at = greatest(least(t.ends_at, clock_timestamp() + $6 * interval '1 millisecond'), excluded.ends_at)
        RETURNING work
      ),
      state AS MATERIALIZED (
        SELECT works.*, before.ends_at, coalesce(before.ends_at <= clock_timestamp(), true) AS had_ended
        FROM term JOIN works USING (work) LEFT JOIN before USING (work)
      ),
      own AS (
        SELECT l.shard, l.epoch, state.had_ended, ${quietSince('state')}
        FROM state JOIN shard_lease l ON l.shard >= first_shard AND l.shard < first_shard + shard_count
        WHERE l.owner = $1 AND l.expires_at > now()
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
      SELECT id, dispatches, delivers, NULL::int AS shard, NULL::bigint AS epoch, NULL::float8 AS quiet_ms
      FROM node WHERE seen_at > now() - $6 * interval '1 millisecond' AND id <> $1
      UNION ALL
      SELECT $1::uuid, $4::bool, $5::bool, NULL, NULL, NULL
      UNION ALL
      SELECT NULL, NULL, NULL, begun.shard, begun.epoch, own.quiet_ms FROM begun JOIN own USING (shard)
      UNION ALL
      SELECT NULL, NULL, NULL, shard, epoch, quiet_ms FROM own WHERE NOT had_ended
      ORDER BY id`,
    values: [
      ...[nodeId, new Date(startedAtMs), servesApi, takes('dispatch'), takes('deliver'), LEASE_MS],
      leased.map(({ work }) => work),
      leased.map(({ firstShard }) => firstShard),
      leased.map(({ shardCount }) => shardCount),
    ],
    timeoutMs: BEAT_TIMEOUT_MS,
  });
  return {
    nodes: rows.flatMap((row) => (row.id === null ? [] : [toLiveNode(row)])),
    held: rows.flatMap((row) => (row.id === null ? [toHeldShard(row)] : [])),
  };
}

function toLiveNode({ id, dispatches, delivers }: Extract<BeatRow, { id: string }>): LiveNode {
  return { id, works: [...(dispatches ? ['dispatch' as const] : []), ...(delivers ? ['deliver' as const] : [])] };
}

/**
 * Takes all free shards of `shards`: never owned, given back, or owned by a node whose term has ended. Each gets a new epoch; rows are
 * never deleted, so epochs only rise. With `seize`, other owners' shards are taken too, by a process that knows it is alone on its
 * database. Returns the shards taken. The owner must have sent a heartbeat before.
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
    // Ended terms are locked against a renewal that started earlier; `beat` checks the end after its lock.
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

/** The shards whose queues have an owner, across all nodes. */
export async function readLeasedShards(db: Queryable): Promise<Set<number>> {
  const rows = await db.query<{ shard: number }>({
    text: `
      SELECT shard FROM shard_lease l
      WHERE expires_at > now()
        AND NOT EXISTS (SELECT FROM lease_term t WHERE t.owner = l.owner AND t.work = 'dispatch' AND t.ends_at < now())`,
  });
  return new Set(rows.map(({ shard }) => shard));
}

/** Gives leases back, so that another node can take the shards at once. */
export async function releaseLeases(db: Queryable, owner: string, shards: number[]): Promise<void> {
  await db.query({
    name: 'shard_lease_release',
    text: 'UPDATE shard_lease SET expires_at = least(expires_at, now()) WHERE owner = $1 AND shard = ANY($2::smallint[])',
    values: [owner, shards],
  });
}

/** Removes this node from the list of nodes. */
export async function leave(db: Queryable, nodeId: string): Promise<void> {
  await db.query({ name: 'node_leave', text: 'DELETE FROM node WHERE id = $1', values: [nodeId] });
}

/**
 * SQL: the shards among `leases` that the owner `$1` holds under these epochs, locked. The locks block a takeover until the commit: this is
 * the fence of every statement that journals. With `SKIP LOCKED`, leases that another transaction has locked are left out.
 */
export function heldLeasesSql(
  leases: ArrayTable<readonly [shard: number, epoch: number], 'shard' | 'epoch'>,
  wait: '' | 'SKIP LOCKED' = '',
): string {
  return `SELECT l.shard FROM ${leases.from('e')}
        JOIN shard_lease l USING (shard, epoch)
        WHERE l.owner = $1 AND l.expires_at > now()
        ORDER BY l.shard FOR NO KEY UPDATE OF l ${wait}`;
}
