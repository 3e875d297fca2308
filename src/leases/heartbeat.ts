import type { Logger } from 'pino';
import { shareRuns } from '../core/run/share-runs.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { beat, boundAhead, type HeldShard, LEASE_MS, type LeasedWork, type LiveNode, leave } from './lease-queries.ts';

const RENEW_MS = LEASE_MS / 4;
/** Delay between two heartbeats of a process that is alone: no other node waits for the end of its leases. */
const ALONE_RENEW_MS = LEASE_MS / 2;
/** Delay after a failed heartbeat of such a process, so that the next one is still answered before the leases end. */
const ALONE_RETRY_MS = LEASE_MS / 20;
/** Time between two corrections of times ahead of the clock: the server's clock is rarely set back. */
const BOUND_AHEAD_MS = 10_000;

/** Result of a heartbeat. */
export interface Beat {
  /** Time before it was sent, by the monotonic clock in ms: the leases last at least LEASE_MS from then. */
  askedAtMs: number;
  nodes: LiveNode[];
  /** All shards of this node, of every work. */
  held: HeldShard[];
}

/** Work whose leases the heartbeat renews. */
export interface RenewedWork extends LeasedWork {
  /** True if the node takes no more shards of this work. */
  readonly isLeaving: boolean;
  /** Called after each heartbeat; the next one comes a delay after this resolves. */
  renewed(beat: Beat): Promise<void>;
  /** Called after each heartbeat that failed. */
  notRenewed(): void;
}

export interface HeartbeatOptions {
  db: Queryable;
  clock: Clock;
  log: Logger;
  nodeId: string;
  servesApi: boolean;
  /** True if this process is alone on its database. */
  alone: boolean;
}

/**
 * Reports that this node is alive and renews the leases of all its work, in one statement. Begins with the first work that is added, and
 * ends when the last one is removed.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #startedAtMs: number;
  readonly #works = new Set<RenewedWork>();
  #running: Promise<void> = Promise.resolve();
  #boundAheadAtMs = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.now();
  }

  /** Renews the leases of `work` from now on. Resolves after the first heartbeat with it, even if that failed. */
  add(work: RenewedWork): Promise<void> {
    this.#works.add(work);
    return this.now();
  }

  /** Renews the leases of `work` no more. Resolves when no heartbeat with it is in progress. */
  async remove(work: RenewedWork): Promise<void> {
    this.#works.delete(work);
    if (this.#works.size === 0) this.#cancel();
    await this.#running;
  }

  /** Reports which work this node still does; without any, removes it from the list of nodes. */
  async report(): Promise<void> {
    if (this.#works.size > 0) await this.now();
    else await leave(this.#options.db, this.#options.nodeId);
  }

  /** Sends a heartbeat at once, or after the one in progress. Never rejects. */
  readonly now = shareRuns(() => {
    this.#running = this.#beat();
    return this.#running;
  });

  async #beat(): Promise<void> {
    const { db, clock, log, nodeId, servesApi, alone } = this.#options;
    this.#cancel();
    const works = [...this.#works];
    if (works.length === 0) return;
    const askedAtMs = clock.monotonicMs();
    let restMs = alone ? ALONE_RENEW_MS : RENEW_MS;
    try {
      const answer = await beat(db, { nodeId, startedAtMs: this.#startedAtMs, servesApi, works });
      await Promise.all(works.map((work) => work.renewed({ askedAtMs, ...answer })));
      await this.#boundAhead();
    } catch (error) {
      log.warn({ err: error }, 'lease renewal failed');
      for (const work of works) work.notRenewed();
      if (alone) restMs = ALONE_RETRY_MS;
    }
    if (this.#works.size > 0) this.#cancel = clock.schedule(restMs, () => void this.now());
  }

  async #boundAhead(): Promise<void> {
    const { db, clock, log } = this.#options;
    if (clock.monotonicMs() - this.#boundAheadAtMs < BOUND_AHEAD_MS) return;
    this.#boundAheadAtMs = clock.monotonicMs();
    await boundAhead(db).catch((error) => log.warn({ err: error }, 'leases that end too late were not shortened yet'));
  }
}
