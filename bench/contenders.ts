import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
  async start(upstreamPort) {
    const gateway = await startBenchGateway(upstreamPort);
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
      stop: gateway.stop,
    };
  },
  stop: () => Promise.resolve(),
};

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
