import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { findFreePort } from '../src/embedded-postgres/find-free-port.ts';
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';
import { endsWithRun } from './processes.ts';

/** The server that stores a peer's queue. */
export interface PeerServer {
  /** Returns a connection string to an empty database. */
  freshConnection(): Promise<string>;
  /** Its process; all others are its children. */
  pid: number;
  stop(): Promise<void>;
}

/** More connections than any of the peers opens. */
const CONNECTIONS = 120;

/** Starts PostgreSQL as the gateway runs its own: same binaries, same settings, durable commits. */
export async function startPeerPostgres(): Promise<PeerServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-bench-peer-'));
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }), connections: CONNECTIONS });
  const [pid] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
  let databases = 0;
  return {
    pid: Number(pid),
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

/** Starts the system's Redis, which writes to disk before every answer; undefined if the machine has none. */
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
  const { pid } = child;
  if (!(await isReady(child)) || pid === undefined) {
    await stop();
    return undefined;
  }
  let databases = 0;
  return {
    pid,
    async freshConnection() {
      databases += 1;
      return `redis://127.0.0.1:${port}/${databases}`;
    },
    stop,
  };
}

/** Resolves with true once the server accepts connections; false if it cannot start. */
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
