import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/index.ts';
import { type PgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts';
import { putLoad } from '../load.ts';
import { type BenchGateway, type BenchProcess, startBenchGateway, startHelper } from '../processes.ts';
import { type Line, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const CONNECTIONS = 256;
const WARM_UP_SECONDS = 12;
/** Parts of a measurement. */
const TURNS = 4;
const POOL_SIZE = 16;

interface Side {
  name: string;
  gateway: BenchGateway;
  postgres: EmbeddedPostgres;
  pooler: PgBouncer | undefined;
  sink: BenchProcess;
  dir: string;
  accepted: number;
  seconds: number;
}

/**
 * Measures how many messages a gateway accepts while clients wait only for the previous answer: with a direct connection, without prepared
 * statements, and through PgBouncer in transaction mode. The three take turns, each with its own PostgreSQL.
 */
export async function pooler(seconds: number): Promise<Line[]> {
  const sides: Side[] = [];
  try {
    sides.push(await start('directly', { preparesStatements: true, throughPooler: false }));
    sides.push(
      await start('directly, without prepared statements', { preparesStatements: false, throughPooler: false }),
    );
    sides.push(
      await start('through PgBouncer in transaction mode', { preparesStatements: false, throughPooler: true }),
    );
    for (const side of sides) await load(side, WARM_UP_SECONDS);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const side of sides) {
        side.accepted += await load(side, seconds / TURNS);
        side.seconds += seconds / TURNS;
      }
    }
    const rates = sides.map((side) => side.accepted / side.seconds);
    return sides.map((side, place) => ({
      what: `accepted at saturation, ${side.name}`,
      value: perSecond(rates[place] ?? 0),
      note:
        place === 0
          ? `${CONNECTIONS} clients`
          : `${((rates[place] ?? 0) / (rates[0] ?? 1)).toFixed(2)} of the direct connection`,
    }));
  } finally {
    for (const side of sides) await stop(side);
  }
}

async function start(
  name: string,
  { preparesStatements, throughPooler }: { preparesStatements: boolean; throughPooler: boolean },
): Promise<Side> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-bench-pooler-'));
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'warn' }), connections: 40 });
  const { connectionString } = postgres;
  const front = throughPooler
    ? await startPgBouncer(connectionString, { poolMode: 'transaction', poolSize: POOL_SIZE })
    : undefined;
  const sink = await startHelper('upstream-sink.ts');
  const gateway = await startBenchGateway(sink.port, {
    DATABASE_URL: front?.url ?? connectionString,
    ...(front !== undefined && { DATABASE_DIRECT_URL: connectionString }),
    DATABASE_PREPARED_STATEMENTS: preparesStatements ? 'on' : 'off',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  return { name, gateway, postgres, pooler: front, sink, dir, accepted: 0, seconds: 0 };
}

/** Returns the number of accepted messages. */
async function load({ gateway }: Side, seconds: number): Promise<number> {
  const request = () => sendRequest(gateway);
  const { statuses } = await putLoad({ port: gateway.port, connections: CONNECTIONS, seconds, request });
  return statuses['202'] ?? 0;
}

async function stop({ gateway, pooler: front, postgres, sink, dir }: Side): Promise<void> {
  await gateway.stop();
  await sink.stop();
  await front?.stop();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}
