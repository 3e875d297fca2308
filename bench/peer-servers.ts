import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { findFreePort } from '../src/embedded-postgres/find-free-port.ts';
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';
import { endsWithRun } from './processes.ts';

/** Where a peer keeps its queue. */
export interface PeerServer {
  /** A connection string to an empty place. */
  freshConnection(): Promise<string>;
  stop(): Promise<void>;
}

/** More than any of the peers opens. */
const CONNECTIONS = 120;

/** PostgreSQL just as the gateway runs its own: same binaries, same settings, durable commits. */
export async function startPeerPostgres(): Promise<PeerServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-bench-peer-'));
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }), connections: CONNECTIONS });
  let databases = 0;
  return {
    async freshConnection() {
      databases += 1;
      const client = new pg.Client({ connectionString: server.connectionString });
      await client.connect();
      await client.query(`CREATE DATABASE peer_${databases}`);
      await client.end();
      const url = new URL(server.connectionString);
      url.pathname = `/peer_${databases}`;
      return url.href;
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The system's Redis, every write on disk before it is answered; undefined when there is none. */
export async function startPeerRedis(): Promise<PeerServer | undefined> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-bench-redis-'));
  const port = await findFreePort();
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'];
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dataDir];
  const child = endsWithRun(spawn('redis-server', [...where, ...settings]));
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  if (!(await isReady(child))) {
    await stop();
    return undefined;
  }
  let databases = 0;
  return {
    async freshConnection() {
      databases += 1;
      return `redis://127.0.0.1:${port}/${databases}`;
    },
    stop,
  };
}

/** Whether it comes to accept connections; false when it cannot be started. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (printed.includes('Ready to accept connections')) resolve(true);
    });
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(false));
  });
}
