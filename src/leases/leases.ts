import type { Logger } from 'pino';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import {
  beat,
  boundAhead,
  type HeldShard,
  LEASE_MS,
  type LeasedWork,
  leave,
  releaseLeases,
  renewLeases,
  takeShards,
} from './lease-queries.ts';
import { preferredShards } from './shard-ownership.ts';

const RENEW_MS = LEASE_MS / 4;
/** A lease is used only while it is surely unexpired: this much before its end, by this process's own monotonic clock. */
const SAFETY_MS = 500;

interface LeaseListener {
  /** Shards newly held, under their epochs. Work on them may start once this resolves. */
  acquired(shards: HeldShard[]): Promise<void>;
  /** Stop taking work of these shards; resolves when nothing of theirs is in flight, then they are given back. */
  release(shards: number[]): Promise<void>;
  /** Leases that ran out or were taken: whatever is not yet written down must not be sent. */
  lost(shards: number[]): void;
  /** Whether anything of the shard is in flight; busy shards are given back one by one. Without it none is taken for busy. */
  isBusy?(shard: number): boolean;
  /** The leases were renewed; `nodes` are alive, this one included. */
  renewed(nodes: number): void;
}

/** The shards are shared out among the nodes that do their work; `none` only says that this node lives. */
export interface LeaseOptions extends LeasedWork {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** Whether this node serves the API; absent where others of its leases say so. */
  servesApi?: boolean;
  /** This process is alone on its database: leases left by a crashed predecessor are taken at once. */
  alone: boolean;
  listener: LeaseListener;
}

/**
 * Keeps this node's share of the shards leased. Each beat says the node lives, renews what it holds, takes what has become
 * free and is preferably its own, and gives back, after draining, what another node should have. A node that leaves wants
 * nothing any more and gives each shard back as soon as nothing of it is in flight.
 *
 * A shard is in one of four states here: not held; acquiring (leased, its queue being read); held (worked on); releasing (no
 * new work, in-flight work ending). Only `held` shards are worked on, and only while `isCurrent`.
 */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #startedAtMs: number;
  readonly #held = new Map<number, number>();
  readonly #acquiring = new Set<number>();
  /** By which release: a shard may be lost before that ends, and taken again. */
  readonly #releasing = new Map<number, symbol>();
  readonly #releases = new Set<Promise<void>>();
  #goodUntilMs = 0;
  #cancel: (() => void) | undefined;
  #beating: Promise<void> = Promise.resolve();
  #taking: Promise<void> = Promise.resolve();
  #leaving = false;
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

  /** Whether what was started under this epoch may still be sent: no other node can have the shard at this moment. */
  holds(shard: number, epoch: number): boolean {
    return this.#held.get(shard) === epoch && this.isCurrent();
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

  /**
   * From now on takes nothing, and gives each shard back when nothing of it is in flight. Resolves when none is left, or when the database
   * did not say which there are: a later beat asks again.
   */
  async leave(): Promise<void> {
    this.#leaving = true;
    this.#cancel?.();
    await this.#beating;
    this.#beating = this.#beat().finally(() => this.#scheduleBeat());
    await this.#beating;
    await Promise.all(this.#releases);
  }

  /** Ends the beats and gives back whatever is left. Never rejects: whoever stops has more to end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#beating;
    const { db, log, nodeId } = this.#options;
    try {
      await releaseLeases(db, nodeId, this.shards());
      await leave(db, nodeId);
    } catch (error) {
      log.warn({ err: error }, 'giving back leases failed; they will run out');
    }
    this.#held.clear();
  }

  #scheduleBeat(): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.schedule(RENEW_MS, () => {
      this.#beating = this.#beat().finally(() => this.#scheduleBeat());
    });
  }

  async #beat(): Promise<void> {
    const { db, clock, log, nodeId, servesApi, work, firstShard, shardCount, alone, listener } = this.#options;
    const askedAtMs = clock.monotonicMs();
    try {
      const live = await beat(db, { nodeId, startedAtMs: this.#startedAtMs, servesApi }, work, !this.#leaving);
      // A predecessor that crashed a moment ago still looks alive.
      const nodes = alone ? live.workers.filter((id) => id === nodeId) : live.workers;
      const preferred = this.#leaving ? [] : preferredShards(nodeId, nodes, shardCount);
      const wanted = new Set(preferred.map((shard) => firstShard + shard));
      // What is on its way back is not taken before it is there: giving it back would undo that.
      const returning = new Set(this.#releasing.keys());
      const mayTake = (shard: number) => wanted.has(shard) && !returning.has(shard);
      const held = await renewLeases(db, nodeId, { work, firstShard, shardCount });
      this.#goodUntilMs = askedAtMs + LEASE_MS - SAFETY_MS;
      listener.renewed(alone ? 1 : live.count);
      this.#forgetLost(held);
      await this.#boundAhead();
      const kept = new Set(held.map(({ shard }) => shard));
      const leases = [
        ...held,
        ...(await this.#take([...wanted].filter((shard) => !kept.has(shard) && mayTake(shard)))),
      ];
      const surplus = leases.map(({ shard }) => shard).filter((shard) => !wanted.has(shard) && !returning.has(shard));
      const fresh = leases.filter(({ shard, epoch }) => mayTake(shard) && this.#held.get(shard) !== epoch);
      const idle = surplus.filter((shard) => !listener.isBusy?.(shard));
      if (idle.length > 0) this.#startRelease(idle);
      for (const shard of surplus) if (!idle.includes(shard)) this.#startRelease([shard]);
      // Reading long queues may take longer than a lease lasts, so renewals go on meanwhile.
      if (fresh.length > 0) this.#taking = this.#acquire(fresh);
    } catch (error) {
      log.warn({ err: error }, 'lease renewal failed');
      if (!this.isCurrent()) this.#forgetLost([]);
    }
  }

  async #boundAhead(): Promise<void> {
    const { db, log } = this.#options;
    await boundAhead(db).catch((error) => log.warn({ err: error }, 'leases that lie ahead not shortened yet'));
  }

  /** On its own, because it may have to wait for the last transaction of a shard's former owner, and renewals may not. */
  async #take(shards: number[]): Promise<HeldShard[]> {
    if (shards.length === 0) return [];
    const { db, log, nodeId, work } = this.#options;
    try {
      const taken = await takeShards(db, nodeId, work, shards, this.#seize);
      this.#seize = false;
      return taken;
    } catch (error) {
      log.warn({ err: error }, 'free shards not taken yet');
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
      // Not having read a queue, this process cannot work on it; the next beat starts over.
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
      this.#options.log.warn({ err: error }, 'giving back leases failed; they will run out');
    }
    for (const shard of own()) {
      this.#held.delete(shard);
      this.#releasing.delete(shard);
    }
  }
}
