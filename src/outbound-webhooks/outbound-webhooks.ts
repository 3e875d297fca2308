import type { Logger } from 'pino';
import { shareRuns } from '../core/run/share-runs.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { Clock } from '../core/time/clock.ts';
import { inSets } from '../database/batching/in-sets.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/index.ts';
import { type Heartbeat, Leases, SHARD_COUNT } from '../leases/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import { DeliveryEngine } from './delivery/delivery-engine.ts';
import { FanOut } from './delivery/fan-out.ts';
import type { Endpoint } from './endpoint.ts';
import {
  clearDeleted,
  clearExpired,
  type EndpointVersion,
  listEndpointsById,
  listEndpointVersions,
} from './endpoints/endpoint-queries.ts';
import { openSigner } from './endpoints/endpoint-secrets.ts';
import { readNews, WHOLE_QUEUE } from './queue/queue-deliveries.ts';

export interface OutboundWebhooksDeps {
  db: Database;
  /** Leads past a pooler, for the leases. */
  directDb: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  /** True if no other process works on the database. */
  alone: boolean;
  heartbeat: Heartbeat;
  changes: Changes;
  secretBox: SecretBox;
  egress: Pick<Egress, 'postWebhook'>;
  metrics: Metrics;
}

/** First of the endpoints' own shards, which spread them over nodes. The node that holds it fans out events. */
const FIRST_SHARD = SHARD_COUNT;
const SWEPT_MAX = 2_000;
const READ_MAX = 500;

/**
 * Delivers events to endpoints: fans them out, and works the queues of the endpoints whose shards this node holds. Dispose it with
 * `stop()`.
 */
export class OutboundWebhooks {
  readonly #deps: OutboundWebhooksDeps;
  readonly #engine: DeliveryEngine;
  readonly #fanOut: FanOut;
  readonly #leases: Leases;
  /** Ids of endpoints that changed and were not read since. */
  readonly #changed = new Set<string>();
  /** True if other endpoints may have changed, too, or have come to this node. */
  #mayBeOutdated = false;
  /** Runs one at a time, so that an earlier read never replaces the result of a later one. */
  readonly #follow = shareRuns(() => this.#readChanged());

  constructor(deps: OutboundWebhooksDeps) {
    this.#deps = deps;
    const { nodeId, changes } = deps;
    this.#engine = new DeliveryEngine(deps);
    this.#leases = new Leases({
      ...deps,
      db: deps.directDb,
      work: 'deliver',
      firstShard: FIRST_SHARD,
      shardCount: SHARD_COUNT,
      listener: {
        acquired: (shards) => this.#takeOver(new Set(shards.map(({ shard }) => shard))),
        release: (shards) => this.#giveBack(new Set(shards)),
        lost: (shards) => void this.#giveBack(new Set(shards)),
        renewed: () => {},
      },
    });
    this.#fanOut = new FanOut({
      ...deps,
      isOwner: () => this.#leases.isCurrent() && this.#leases.epochOf(FIRST_SHARD) !== undefined,
      offer: (entries) => this.#engine.offer(entries),
      begun: () => this.#engine.news(),
    });
    changes.follow(
      'webhook',
      (id) => {
        this.#fanOut.endpointsChanged();
        this.#changed.add(id);
        return this.#follow();
      },
      () => {
        this.#fanOut.reset();
        return this.#compareAll();
      },
    );
    changes.follow(
      'webhook_queue',
      (key) => {
        const news = readNews(key);
        if (news.nodeId === WHOLE_QUEUE) this.#engine.lookAnew(news.endpointNumbers);
        else if (news.nodeId !== nodeId) this.#engine.news(news.endpointNumbers);
      },
      () => this.#engine.lookAnew(),
    );
  }

  /** Takes over free endpoints and starts delivering. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#fanOut.start();
  }

  /** Stops: lets attempts in flight end (at most `graceMs`), records their results and gives the endpoints back. */
  async stop(graceMs: number): Promise<void> {
    await this.#fanOut.stop();
    await this.#engine.stop(graceMs);
    await this.#leases.stop();
  }

  /** Deletes the queues of deleted endpoints, and deliveries to disabled ones of events written before `beforeMs`. */
  async sweep(beforeMs: number): Promise<void> {
    const { db } = this.#deps;
    while ((await clearDeleted(db, SWEPT_MAX)) === SWEPT_MAX) {
      // repeats until none is left
    }
    while ((await clearExpired(db, beforeMs, SWEPT_MAX)) === SWEPT_MAX) {
      // repeats until none is left
    }
  }

  /**
   * Works the endpoints of shards that were just leased. If it rejects, none of them is worked, because the loss of these leases is then
   * not reported.
   */
  async #takeOver(shards: ReadonlySet<number>): Promise<void> {
    try {
      await this.#compareAll();
    } catch (error) {
      void this.#giveBack(shards);
      throw error;
    }
  }

  #giveBack(shards: ReadonlySet<number>): Promise<void> {
    return this.#engine.remove((endpoint) => shards.has(shardOf(endpoint)));
  }

  #compareAll(): Promise<void> {
    this.#mayBeOutdated = true;
    return this.#follow();
  }

  async #readChanged(): Promise<void> {
    const named = [...this.#changed];
    const mayBeOutdated = this.#mayBeOutdated;
    this.#changed.clear();
    this.#mayBeOutdated = false;
    await (mayBeOutdated ? this.#putOutdatedAnew() : this.#putAnew(named));
  }

  /**
   * Works all endpoints of the shards this node holds, in their current state. Reads only endpoints that are outdated or not worked yet.
   */
  async #putOutdatedAnew(): Promise<void> {
    const versions = await listEndpointVersions(this.#deps.db);
    const all = new Set(versions.map(({ id }) => id));
    void this.#engine.remove((endpoint) => !all.has(endpoint.id) || !this.#isHeld(endpoint));
    const outdated = versions.filter((version) => this.#isHeld(version) && !this.#engine.knows(version));
    await this.#putAnew(outdated.map(({ id }) => id));
  }

  /** Works these endpoints in their current state, if this node holds their shards after the read. */
  async #putAnew(ids: readonly string[]): Promise<void> {
    // One batch at a time: opening the secrets of tens of thousands at once would block everything else.
    for (const set of inSets(ids, READ_MAX)) {
      const endpoints = await listEndpointsById(this.#deps.db, set);
      const left = new Set(endpoints.map(({ id }) => id));
      const gone = new Set(set.filter((id) => !left.has(id)));
      if (gone.size > 0) void this.#engine.remove(({ id }) => gone.has(id));
      for (const endpoint of endpoints) if (this.#isHeld(endpoint)) this.#put(endpoint);
    }
  }

  #isHeld(endpoint: EndpointVersion): boolean {
    return this.#leases.epochOf(shardOf(endpoint)) !== undefined;
  }

  #put(endpoint: Endpoint): void {
    try {
      this.#engine.put(endpoint, openSigner(this.#deps.secretBox, endpoint));
    } catch (error) {
      const { organizationId, id } = endpoint;
      // The earlier state is no longer valid: the endpoint may have been disabled since, or have moved.
      void this.#engine.remove((worked) => worked.id === id);
      this.#deps.log.error(
        { err: error, organizationId, webhookId: id },
        'webhook endpoint gets no deliveries: its secret cannot be opened',
      );
    }
  }
}

function shardOf({ endpointNumber }: EndpointVersion): number {
  return FIRST_SHARD + (endpointNumber % SHARD_COUNT);
}
