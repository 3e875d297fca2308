import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import { beat, holdLeases, LEASE_MS, leave, releaseLeases, type SharedWork } from './lease-queries.ts';
import { preferredShards } from './shard-ownership.ts';

const RENEW_MS = LEASE_MS / 4;
/** A lease is used only while it is surely unexpired: this much before its end, by this process's own monotonic clock. */
const SAFETY_MS = 500;

export interface LeaseListener {
  /** Shards newly held, under their epochs. Work on them may start once this resolves. */
  acquired(shards: { shard: number; epoch: number }[]): Promise<void>;
  /** Stop taking work of these shards; resolves when nothing of theirs is in flight, then they are given back. */
  release(shards: number[]): Promise<void>;
  /** Leases that ran out or were taken: whatever is not yet written down must not be sent. */
  lost(shards: number[]): void;
  /** The leases were renewed; `nodes` are alive, this one included. */
  renewed(nodes: number): void;
}

export interface LeaseOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** What the shards stand for, shared among the nodes that do it; `none` only says that this node lives. Default: `dispatch`. */
  work?: SharedWork;
  /** The shards to be shared out: so many, from the first one on. */
  firstShard?: number;
  shardCount: number;
  /** This process is alone on its database: leases left by a crashed predecessor are taken at once. */
  alone: boolean;
  listener: LeaseListener;
}

/**
 * Keeps this node's share of the shards leased. Each beat says the node lives, renews what it holds, takes what has become
 * free and is preferably its own, and gives back, after draining, what another node should have.
 *
 * A shard is in one of four states here: not held; acquiring (leased, its queue being read); held (worked on); releasing (no
 * new work, in-flight work ending). Only `held` shards are worked on, and only while `isCurrent`.
 */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #startedAtMs: number;
  readonly #held = new Map<number, number>();
  readonly #acquiring = new Set<number>();
  readonly #releasing = new Set<number>();
  #goodUntilMs = 0;
  #cancel: (() => void) | undefined;
  #beating: Promise<void> = Promise.resolve();
  #taking: Promise<void> = Promise.resolve();
  #stopped = false;
  #seize: boolean;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.now();
    this.#seize = options.alone;
  }

  /** The epoch a shard is held under, while it may be worked on. */
  epochOf(shard: number): number | undefined {
    return this.#releasing.has(shard) ? undefined : this.#held.get(shard);
  }

  /** Shards leased to this process, those being taken or given back included. */
  shards(): number[] {
    return [...this.#held.keys()];
  }

  /** Whether the leases are surely unexpired at this moment. */
  isCurrent(): boolean {
    return this.#options.clock.monotonicMs() < this.#goodUntilMs;
  }

  /** The first beat; resolves when the shards that were free are held. Beats go on until `stop`. */
  async start(): Promise<void> {
    await this.#beat();
    this.#scheduleBeat();
    await this.#taking;
  }

  /** Gives everything back. Call after the work has been drained. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#beating;
    const { db, nodeId } = this.#options;
    await releaseLeases(db, nodeId, this.shards());
    await leave(db, nodeId);
    this.#held.clear();
  }

  #scheduleBeat(): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.schedule(RENEW_MS, () => {
      this.#beating = this.#beat().finally(() => this.#scheduleBeat());
    });
  }

  async #beat(): Promise<void> {
    const { db, clock, log, nodeId, work = 'dispatch', firstShard = 0, shardCount, alone, listener } = this.#options;
    const askedAtMs = clock.monotonicMs();
    try {
      const live = await beat(db, nodeId, this.#startedAtMs, work);
      // A predecessor that crashed a moment ago still looks alive.
      const nodes = alone ? live.workers.filter((id) => id === nodeId) : live.workers;
      const wanted = new Set(preferredShards(nodeId, nodes, shardCount).map((shard) => firstShard + shard));
      const asked = [...new Set([...wanted, ...this.#held.keys()])];
      const leases = await holdLeases(db, nodeId, asked, this.#seize);
      this.#seize = false;
      this.#goodUntilMs = askedAtMs + LEASE_MS - SAFETY_MS;
      listener.renewed(alone ? 1 : live.count);
      this.#forgetLost(leases);
      const surplus = leases
        .map(({ shard }) => shard)
        .filter((shard) => !wanted.has(shard) && !this.#releasing.has(shard));
      const fresh = leases.filter(({ shard, epoch }) => wanted.has(shard) && this.#held.get(shard) !== epoch);
      if (surplus.length > 0) void this.#release(surplus);
      // Reading long queues may take longer than a lease lasts, so renewals go on meanwhile.
      if (fresh.length > 0) this.#taking = this.#acquire(fresh);
    } catch (error) {
      log.warn({ err: error }, 'lease renewal failed');
      if (!this.isCurrent()) this.#forgetLost([]);
    }
  }

  #forgetLost(leases: { shard: number; epoch: number }[]): void {
    const epochOf = new Map(leases.map(({ shard, epoch }) => [shard, epoch]));
    const lost = [...this.#held].filter(([shard, epoch]) => epochOf.get(shard) !== epoch).map(([shard]) => shard);
    for (const shard of lost) {
      this.#held.delete(shard);
      this.#releasing.delete(shard);
    }
    if (lost.length > 0) this.#options.listener.lost(lost);
  }

  async #acquire(fresh: { shard: number; epoch: number }[]): Promise<void> {
    const taking = fresh.filter(({ shard }) => !this.#acquiring.has(shard));
    for (const { shard, epoch } of taking) {
      this.#acquiring.add(shard);
      this.#held.set(shard, epoch);
    }
    try {
      await this.#options.listener.acquired(taking);
    } catch (error) {
      // Not having read a queue, this process cannot work on it; the next beat starts over.
      for (const { shard } of taking) this.#held.delete(shard);
      this.#options.log.error({ err: error }, 'taking over shards failed');
    } finally {
      for (const { shard } of taking) this.#acquiring.delete(shard);
    }
  }

  async #release(shards: number[]): Promise<void> {
    for (const shard of shards) this.#releasing.add(shard);
    try {
      await this.#options.listener.release(shards);
      await releaseLeases(this.#options.db, this.#options.nodeId, shards);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'giving back leases failed; they will run out');
    }
    for (const shard of shards) {
      this.#held.delete(shard);
      this.#releasing.delete(shard);
    }
  }
}
