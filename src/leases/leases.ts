import type { Logger } from 'pino';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import type { Beat, Heartbeat, RenewedWork } from './heartbeat.ts';
import { type HeldShard, LEASE_MS, type LeasedWork, releaseLeases, takeShards } from './lease-queries.ts';
import { preferredShards } from './shard-ownership.ts';

/** Safety margin in milliseconds: a lease is used until this much before its end, by this process's own monotonic clock. */
const SAFETY_MS = 500;

interface LeaseListener {
  /** Called with newly held shards and their epochs. Work on them may start when this resolves. */
  acquired(shards: HeldShard[]): Promise<void>;
  /** Must stop taking work of these shards. Resolves when none of their work is in flight; then they are given back. */
  release(shards: number[]): Promise<void>;
  /** Called for leases that expired or were taken: sends that are not journaled yet must not go out. */
  lost(shards: number[]): void;
  /** True if work of the shard is in flight; busy shards are given back one by one. Without it no shard counts as busy. */
  isBusy?(shard: number): boolean;
  /** Called after a renewal; `nodes` is the number of live nodes, including this one. */
  renewed(nodes: number): void;
}

/** Options of the leases. The shards are shared by the nodes that do their work; with `none` no shard is leased. */
export interface LeaseOptions extends LeasedWork {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** True if this process is alone on its database: it then takes leases of a crashed predecessor at once. */
  alone: boolean;
  heartbeat: Heartbeat;
  listener: LeaseListener;
}

/**
 * Keeps this node's share of the shards leased. After each heartbeat, which renews the leases, it takes free shards that are preferably
 * its own. It drains shards that another node should have and gives them back. A leaving node gives each
 * shard back as soon as none of its work is in flight.
 *
 * A shard is in one of four states here: not held; acquiring (leased, its queue being read); held (worked on); releasing (no
 * new work, in-flight work ending). Only `held` shards are worked on, and only while `isCurrent`.
 */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #renewedWork: RenewedWork;
  readonly #held = new Map<number, number>();
  readonly #acquiring = new Set<number>();
  /** Shards being released, by release: a shard may be lost before its release ends, and taken again. */
  readonly #releasing = new Map<number, symbol>();
  readonly #releases = new Set<Promise<void>>();
  #goodUntilMs = 0;
  #taking: Promise<void> = Promise.resolve();
  #leaving = false;
  #seize: boolean;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#seize = options.alone;
    const { work, firstShard, shardCount } = options;
    const isLeaving = () => this.#leaving;
    this.#renewedWork = {
      ...{ work, firstShard, shardCount },
      get isLeaving() {
        return isLeaving();
      },
      renewed: (beat) => this.#renewed(beat),
      notRenewed: () => this.#notRenewed(),
    };
  }

  /** The epoch of a shard that may be worked on; undefined for any other shard. */
  epochOf(shard: number): number | undefined {
    return this.#releasing.has(shard) ? undefined : this.#held.get(shard);
  }

  /** True if work started under this epoch may still be sent: no other node can own the shard at this moment. */
  holds(shard: number, epoch: number): boolean {
    return this.#held.get(shard) === epoch && this.isCurrent();
  }

  /** Shards leased to this process, including those being acquired or released. */
  shards(): number[] {
    return [...this.#held.keys()];
  }

  /** True if the leases are surely unexpired at this moment. */
  isCurrent(): boolean {
    return this.#options.clock.monotonicMs() < this.#goodUntilMs;
  }

  /** Joins the heartbeat and resolves when all free shards are held. */
  async start(): Promise<void> {
    await this.#options.heartbeat.add(this.#renewedWork);
    await this.#taking;
  }

  /**
   * Stops taking shards, and gives each shard back when none of its work is in flight. Resolves when no shard is left, or if the database
   * did not answer which shards there are: a later heartbeat asks again.
   */
  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#options.heartbeat.now();
    await Promise.all(this.#releases);
  }

  /** Leaves the heartbeat and gives all remaining leases back. Never rejects, because the caller has more to stop. */
  async stop(): Promise<void> {
    const { db, log, nodeId, heartbeat } = this.#options;
    await heartbeat.remove(this.#renewedWork);
    try {
      await releaseLeases(db, nodeId, this.shards());
      await heartbeat.report();
    } catch (error) {
      log.warn({ err: error }, 'giving back leases failed; they will expire');
    }
    this.#held.clear();
  }

  async #renewed({ askedAtMs, nodes, held: all }: Beat): Promise<void> {
    const { nodeId, work, firstShard, shardCount, alone, listener } = this.#options;
    // A predecessor that has just crashed still looks alive.
    const others = alone ? [] : nodes.filter(({ id, works }) => id !== nodeId && works.some((each) => each === work));
    const workers = work === 'none' ? [] : [nodeId, ...others.map(({ id }) => id)];
    const preferred = this.#leaving ? [] : preferredShards(nodeId, workers, shardCount);
    const wanted = new Set(preferred.map((shard) => firstShard + shard));
    // A shard being released is not taken again before its release ends: the release would undo that.
    const returning = new Set(this.#releasing.keys());
    const mayTake = (shard: number) => wanted.has(shard) && !returning.has(shard);
    const held = all.filter(({ shard }) => shard >= firstShard && shard < firstShard + shardCount);
    this.#goodUntilMs = askedAtMs + LEASE_MS - SAFETY_MS;
    listener.renewed(alone ? 1 : nodes.length);
    this.#forgetLost(held);
    const kept = new Set(held.map(({ shard }) => shard));
    const leases = [...held, ...(await this.#take([...wanted].filter((shard) => !kept.has(shard) && mayTake(shard))))];
    const surplus = leases.map(({ shard }) => shard).filter((shard) => !wanted.has(shard) && !returning.has(shard));
    const fresh = leases.filter(({ shard, epoch }) => mayTake(shard) && this.#held.get(shard) !== epoch);
    const idle = surplus.filter((shard) => !listener.isBusy?.(shard));
    if (idle.length > 0) this.#startRelease(idle);
    for (const shard of surplus) if (!idle.includes(shard)) this.#startRelease([shard]);
    // Reading long queues may take longer than a lease lasts, so renewals continue meanwhile.
    if (fresh.length > 0) this.#taking = this.#acquire(fresh);
  }

  #notRenewed(): void {
    if (!this.isCurrent()) this.#forgetLost([]);
  }

  /** Takes shards in its own statement: it may wait for the last transaction of a former owner, and renewals must not wait. */
  async #take(shards: number[]): Promise<HeldShard[]> {
    if (shards.length === 0) return [];
    const { db, log, nodeId, work } = this.#options;
    try {
      const taken = await takeShards(db, nodeId, work, shards, this.#seize);
      this.#seize = false;
      return taken;
    } catch (error) {
      log.warn({ err: error }, 'free shards could not be taken; trying again at the next beat');
      return [];
    }
  }

  #forgetLost(leases: HeldShard[]): void {
    const epochOf = new Map(leases.map(({ shard, epoch }) => [shard, epoch]));
    const lost = [...this.#held].filter(([shard, epoch]) => epochOf.get(shard) !== epoch).map(([shard]) => shard);
    for (const shard of lost) {
      this.#held.delete(shard);
      this.#releasing.delete(shard);
    }
    if (lost.length > 0) this.#options.listener.lost(lost);
  }

  async #acquire(fresh: HeldShard[]): Promise<void> {
    const taking = fresh.filter(({ shard }) => !this.#acquiring.has(shard));
    if (taking.length === 0) return;
    for (const { shard, epoch } of taking) {
      this.#acquiring.add(shard);
      this.#held.set(shard, epoch);
    }
    try {
      await this.#options.listener.acquired(taking);
    } catch (error) {
      // Without its queue this process cannot work on a shard; the next beat starts over.
      for (const { shard } of taking) this.#held.delete(shard);
      this.#options.log.error({ err: error }, 'taking over shards failed');
    } finally {
      for (const { shard } of taking) this.#acquiring.delete(shard);
    }
  }

  #startRelease(shards: number[]): void {
    const name = Symbol('release');
    for (const shard of shards) this.#releasing.set(shard, name);
    const release = this.#release(shards, name).finally(() => this.#releases.delete(release));
    this.#releases.add(release);
  }

  async #release(shards: number[], name: symbol): Promise<void> {
    const own = () => shards.filter((shard) => this.#releasing.get(shard) === name);
    try {
      await this.#options.listener.release(shards);
      for (const shard of own()) this.#held.delete(shard);
      await releaseLeases(this.#options.db, this.#options.nodeId, own());
    } catch (error) {
      this.#options.log.warn({ err: error }, 'giving back leases failed; they will expire');
    }
    for (const shard of own()) {
      this.#held.delete(shard);
      this.#releasing.delete(shard);
    }
  }
}
