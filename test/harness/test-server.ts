import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/database/migrate.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.ts';
import { templateName, withDatabase } from './template-database.ts';

/** A server for tests, with the template database. Its data is deleted when it ends: on `stop()`, or with this process. */
export interface TestServer {
  connectionString: string;
  stop(): Promise<void>;
}

const dirPrefix = 'fairway-test-';

/**
 * Starts a server in a temporary directory and prepares the template. The environment variable TEST_POSTGRES names the directory of another
 * PostgreSQL installation than the bundled one, for example `/usr/lib/postgresql/15`.
 */
export async function startTestServer(): Promise<TestServer> {
  await sweepTemporaryDirs();
  const log = pino({ level: 'error' });
  const dataDir = await mkdtemp(join(tmpdir(), `${dirPrefix}${process.pid}-`));
  const installation = process.env.TEST_POSTGRES || undefined;
  const server = await startEmbeddedPostgres({ dataDir, log, disposable: true, installation });
  try {
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    await client.query(`CREATE DATABASE ${templateName}`).finally(() => client.end());
    await migrate({ connectionString: withDatabase(server.connectionString, templateName), log });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Deletes the directories of runs that were killed before their server could delete them. */
async function sweepTemporaryDirs(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(dirPrefix) ? Number.parseInt(name.slice(dirPrefix.length), 10) : Number.NaN;
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    // Another user's directory is theirs to delete, and a server that is just ending deletes its own.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
