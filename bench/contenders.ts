import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { checkOut } from './checkout.ts';
import { totalCpuOf } from './cpu.ts';
import type { Handing, NaiveCommand } from './naive-gateway.ts';
import { type PeerServer, startPeerPostgres, startPeerRedis } from './peer-servers.ts';
import { ask, pause, pauseAll, startBenchGateway, startHelper } from './processes.ts';
import type { Sender } from './requests.ts';
import { fillQueue } from './scenarios/backlog.ts';

const PEERS_DIR = join(import.meta.dirname, 'peers');
const NUMBERS = 32;
/** Time that the gateway may take to discover rows inserted into its queue, ms. */
const DISCOVERY_MS = 5_000;

/** A running gateway under comparison, with an empty queue. */
export interface Contender {
  port: number;
  /** Two flows of messages with different API keys. */
  flows: [Sender, Sender];
  /** Releases the waiting messages; nothing is sent before. */
  release(): Promise<void>;
  /** Puts messages into the queue without HTTP, up to `count` or as many as fit into `forMs`. */
  fill(count: number, forMs: number): Promise<number>;
  /** Returns the CPU seconds since the start, of the gateway and its database. */
  cpuSeconds(): Promise<number>;
  /** Returns the transactions that its database has committed or undone; undefined if it has no PostgreSQL. */
  transactions(): Promise<number | undefined>;
  /** Returns the number of stored results. */
  countRecorded(): Promise<number>;
  stop(): Promise<void>;
}

/** A product to compare. */
export interface Entrant {
  name: string;
  /** Starts a fresh instance that sends to the upstream on this port. */
  start(upstreamPort: number, handing: Handing): Promise<Contender>;
  stop(): Promise<void>;
}

/** The gateway as `npm start` runs it, with all its features. */
export const fairway: Entrant = {
  name: 'Fairway',
  start: (upstreamPort) => startFairway(upstreamPort),
  stop: () => Promise.resolve(),
};

/** Returns the gateway of a Git revision of this repository, installed beside this one until it is stopped. */
export async function fairwayAt(revision: string): Promise<Entrant> {
  const { dir, remove } = await checkOut(revision);
  return { name: `Fairway ${revision}`, start: (upstreamPort) => startFairway(upstreamPort, dir), stop: remove };
}

async function startFairway(upstreamPort: number, checkout?: string): Promise<Contender> {
  const gateway = await startBenchGateway(upstreamPort, {}, checkout);
  const { pid = 0 } = gateway.child;
  const path = `/organizations/${gateway.organizationId}/api-keys`;
  const second = (await gateway.admin('POST', path, {})) as { key: string };
  await pauseAll(gateway, true);
  return {
    port: gateway.port,
    flows: [gateway, { apiKey: second.key, numbers: gateway.numbers }],
    release: () => pauseAll(gateway, false),
    async fill(count) {
      await gateway.inDatabase((client) => fillQueue(client, count));
      await pause(DISCOVERY_MS);
      return count;
    },
    async countRecorded() {
      const sql = 'SELECT count(*) FROM message WHERE status = 1';
      const { rows } = await gateway.inDatabase((client) => client.query<{ count: string }>(sql));
      return Number(rows[0]?.count);
    },
    cpuSeconds: () => totalCpuOf([pid]),
    transactions: () => gateway.inDatabase(countTransactions),
    stop: gateway.stop,
  };
}

async function countTransactions(client: pg.Client): Promise<number> {
  const sql = 'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()';
  const { rows } = await client.query<{ count: string }>(sql);
  return Number(rows[0]?.count);
}

/** Installs the peers and returns them, each with its own server; `missing` names the peers that cannot run, with the reason. */
export async function startPeers(): Promise<{ peers: Entrant[]; missing: string[] }> {
  await install();
  const versions = JSON.parse(await readFile(join(PEERS_DIR, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const named = (name: string, suffix = '') => `${name} ${versions.dependencies[name]}${suffix}`;
  const postgres = await startPeerPostgres();
  const redis = await startPeerRedis();
  const bullmqRedis = named('bullmq', ' on Redis');
  const missing = `${bullmqRedis} did not run: there is no redis-server on the PATH.`;
  return {
    peers: [
      naive(named('graphile-worker'), 'graphile-worker.ts', postgres),
      naive(named('pg-boss'), 'pg-boss.ts', postgres),
      naive(named('bullmq', ' on PostgreSQL'), 'bullmq-postgresql.ts', postgres),
      ...(redis === undefined ? [] : [naive(bullmqRedis, 'bullmq-redis.ts', redis)]),
    ],
    missing: redis === undefined ? [missing] : [],
  };
}

function naive(name: string, file: string, server: PeerServer): Entrant {
  return {
    name,
    async start(upstreamPort, handing) {
      const connection = await server.freshConnection();
      const gateway = await startHelper(`peers/${file}`, connection, String(upstreamPort), handing);
      const tell = (command: NaiveCommand) => ask<{ loaded: number; recorded: number }>(gateway, command);
      const numbers = Array.from({ length: NUMBERS }, (_, index) => String(200_000_000 + index));
      return {
        port: gateway.port,
        flows: [
          { apiKey: 'first', numbers },
          { apiKey: 'second', numbers },
        ],
        release: () => tell({ do: 'work' }).then(() => undefined),
        fill: async (count, forMs) => (await tell({ do: 'fill', count, forMs })).loaded,
        countRecorded: async () => (await tell({ do: 'recorded' })).recorded,
        cpuSeconds: () => totalCpuOf([gateway.child.pid ?? 0, server.pid]),
        async transactions() {
          if (!connection.startsWith('postgres')) return undefined;
          const client = new pg.Client({ connectionString: connection });
          await client.connect();
          return countTransactions(client).finally(() => client.end());
        },
        stop: gateway.stop,
      };
    },
    stop: server.stop,
  };
}

/** Runs `npm ci` for the peers, unless the locked versions are installed. */
async function install(): Promise<void> {
  const [locked, installed] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
      stat(join(PEERS_DIR, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  if ((installed ?? 0) >= (locked ?? 0) && installed !== 0) return;
  process.stderr.write('installing the peers …\n');
  await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: PEERS_DIR });
}
