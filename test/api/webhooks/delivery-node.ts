import type { QueryResultRow } from 'pg';
import { pino } from 'pino';
import { newId } from '../../../src/core/ids.ts';
import { createSecretBox } from '../../../src/core/secret-box.ts';
import { type Clock, systemClock } from '../../../src/core/time/clock.ts';
import { createChangeFeed } from '../../../src/database/changes/change-feed.ts';
import { type Database, openDatabase, type Queryable, type Statement } from '../../../src/database/database.ts';
import { createEgress } from '../../../src/egress/index.ts';
import { Heartbeat } from '../../../src/leases/index.ts';
import { preparePartitions } from '../../../src/maintenance.ts';
import type { EndpointDeps } from '../../../src/outbound-webhooks/endpoints/create-endpoint.ts';
import { OutboundWebhooks } from '../../../src/outbound-webhooks/index.ts';
import { createMetrics } from '../../../src/telemetry/index.ts';

const KEY = Buffer.alloc(32, 7);

/** The delivery half of a gateway, running alone. */
export interface DeliveryNode extends EndpointDeps, AsyncDisposable {
  /** Stops as a killed process: nothing more is written, sent or released. */
  kill(): Promise<void>;
  /** Resolves once everything committed before is in force here. */
  catchUp(): Promise<void>;
  /** Leaves in an orderly way, as disposing does. */
  stop(): Promise<void>;
}

export interface DeliveryNodeOptions {
  /** True if no other node lives. Default: true. */
  alone?: boolean;
  clock?: Clock;
  /** Called after each answered statement outside of transactions, before the caller gets the answer. */
  afterQuery?: (statement: Statement, db: Queryable, rows: readonly QueryResultRow[]) => Promise<void>;
}

/** Starts delivering the queue of a database. */
export async function startDeliveryNode(
  connectionString: string,
  options: DeliveryNodeOptions = {},
): Promise<DeliveryNode> {
  const { alone = true, clock = systemClock } = options;
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const pool = openDatabase({ connectionString, connectionsMax: 6, onIdleError: () => {} });
  let dead = false;
  const never = () => new Promise<never>(() => {});
  const db: Database = {
    ...pool,
    async query<Row extends QueryResultRow>(statement: Statement) {
      const rows = dead ? await never() : await pool.query<Row>(statement);
      await options.afterQuery?.(statement, pool, rows);
      return rows;
    },
    transaction: (work) =>
      pool.transaction(async (tx) => {
        const result = await work({ query: async (statement) => (dead ? never() : tx.query(statement)) });
        return dead ? never() : result;
      }),
  };
  const egress = createEgress({ allowCidrs: ['127.0.0.0/8'], clock });
  const changes = createChangeFeed({ db, clock, log });
  const secretBox = createSecretBox([KEY]);
  const nodeId = newId();
  const webhooks = new OutboundWebhooks({
    db,
    directDb: db,
    clock,
    log,
    random: Math.random,
    nodeId,
    alone,
    heartbeat: new Heartbeat({ db, clock, log, nodeId, servesApi: false, alone }),
    changes,
    secretBox,
    egress: { postWebhook: async (url, request) => (dead ? never() : egress.postWebhook(url, request)) },
    metrics: createMetrics(),
  });
  await preparePartitions({ db, clock });
  await changes.start();
  await webhooks.start();
  let ended = false;
  const stop = async () => {
    if (ended) return;
    ended = true;
    await webhooks.stop(1_000);
    await changes.stop();
    await egress[Symbol.asyncDispose]();
    await pool.close();
  };
  return {
    db,
    clock,
    secretBox,
    egress,
    catchUp: () => changes.catchUp(),
    async kill() {
      dead = true;
      ended = true;
      await egress[Symbol.asyncDispose]();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
