import type { Logger } from 'pino';
import { SHARD_COUNT } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { shareRuns } from '../core/share-runs.ts';
import type { Changes } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import { Leases } from '../dispatch/index.ts';
import type { Egress } from '../egress/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import { DeliveryEngine } from './delivery-engine.ts';
import type { Endpoint } from './endpoint.ts';
import { clearDeleted, clearExpired, listAllEndpoints, listEndpointsById } from './endpoint-queries.ts';
import { openSigner } from './endpoint-secrets.ts';
import { FanOut } from './fan-out.ts';
import { readNews } from './queue-deliveries.ts';

export interface OutboundWebhooksDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  /** This process is alone on its database. */
  alone: boolean;
  changes: Changes;
  secretBox: SecretBox;
  egress: Pick<Egress, 'postWebhook'>;
  metrics: Metrics;
}

/** Endpoints are dealt out to nodes by shards of their own; who holds the first one deals out events. */
const FIRST_SHARD = SHARD_COUNT;
const SWEPT_MAX = 2_000;

/**
 * Delivers events to endpoints: deals them out, and works the queues of the endpoints this node holds the shards of. Dispose it
 * with `stop()`.
 */
export class OutboundWebhooks {
  readonly #deps: OutboundWebhooksDeps;
  readonly #engine: DeliveryEngine;
  readonly #fanOut: FanOut;
  readonly #leases: Leases;

  constructor(deps: OutboundWebhooksDeps) {
    this.#deps = deps;
    const { db, clock, log, nodeId, alone, changes } = deps;
    this.#engine = new DeliveryEngine(deps);
    this.#leases = new Leases({
      db,
      clock,
      log,
      nodeId,
      alone,
      work: 'deliver',
      firstShard: FIRST_SHARD,
      shardCount: SHARD_COUNT,
      listener: {
        acquired: async () => this.#putHeld(await listAllEndpoints(db)),
        release: (shards) => this.#giveBack(new Set(shards)),
        lost: (shards) => void this.#giveBack(new Set(shards)),
        renewed: () => {},
      },
    });
    this.#fanOut = new FanOut({
      db,
      clock,
      log,
      nodeId,
      isOwner: () => this.#leases.isCurrent() && this.#leases.epochOf(FIRST_SHARD) !== undefined,
      offer: (entries) => this.#engine.offer(entries),
      begun: () => this.#engine.news(),
    });
    // A database that is silent has memory taken for outdated again and again.
    const readAll = shareRuns(() =>
      this.#endpointsChanged(
        () => listAllEndpoints(db),
        () => true,
      ),
    );
    changes.on(
      'webhook',
      (id) => {
        this.#fanOut.endpointsChanged();
        return this.#endpointsChanged(
          () => listEndpointsById(db, [id]),
          (endpoint) => endpoint.id === id,
        );
      },
      () => {
        this.#fanOut.reset();
        return readAll();
      },
    );
    changes.on(
      'webhook_queue',
      (key) => {
        const news = readNews(key);
        if (news.nodeId !== nodeId) this.#engine.news(news.endpointNumbers);
      },
      () => this.#engine.news(),
    );
  }

  /** Takes over the endpoints that are free and starts delivering. */
  async start(): Promise<void> {
    this.#engine.start();
    await this.#leases.start();
    this.#fanOut.start();
  }

  /** Stops, lets attempts under way end (at most `graceMs`), writes results down and gives the endpoints back. */
  async stop(graceMs: number): Promise<void> {
    await this.#fanOut.stop();
    await this.#engine.stop(graceMs);
    await this.#leases.stop();
  }

  /** Clears away what deleted endpoints left behind, and what waits for disabled ones of events written before `beforeMs`. */
  async sweep(beforeMs: number): Promise<void> {
    const { db } = this.#deps;
    while ((await clearDeleted(db, SWEPT_MAX)) === SWEPT_MAX) {
      // until none is left
    }
    while ((await clearExpired(db, beforeMs, SWEPT_MAX)) === SWEPT_MAX) {
      // until none is left
    }
  }

  #giveBack(shards: ReadonlySet<number>): Promise<void> {
    return this.#engine.remove((endpoint) => shards.has(shardOf(endpoint)));
  }

  #endpointsChanged(read: () => Promise<Endpoint[]>, isMeant: (endpoint: Endpoint) => boolean): Promise<void> {
    return read().then((endpoints) => {
      const left = new Set(endpoints.map((endpoint) => endpoint.id));
      void this.#engine.remove((endpoint) => isMeant(endpoint) && !left.has(endpoint.id));
      this.#putHeld(endpoints);
    });
  }

  /** Works those whose shards this node holds now: while they were read it may have lost some. */
  #putHeld(endpoints: readonly Endpoint[]): void {
    for (const endpoint of endpoints) if (this.#leases.epochOf(shardOf(endpoint)) !== undefined) this.#put(endpoint);
  }

  #put(endpoint: Endpoint): void {
    try {
      this.#engine.put(endpoint, openSigner(this.#deps.secretBox, endpoint));
    } catch (error) {
      const { organizationId, id } = endpoint;
      this.#deps.log.error(
        { err: error, organizationId, webhookId: id },
        'webhook endpoint left out: its secret cannot be opened',
      );
    }
  }
}

function shardOf({ endpointNumber }: Endpoint): number {
  return FIRST_SHARD + (endpointNumber % SHARD_COUNT);
}
