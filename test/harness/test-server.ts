import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/database/embedded/index.ts';
import { migrate } from '../../src/database/migrate.ts';

/** The migrated database that test databases are cloned from. */
export const templateName = 'fairway_template';

/** A server for tests, with the template in it. Its data is gone once it ends: on `stop()`, or with this process. */
export interface TestServer {
  connectionString: string;
  stop(): Promise<void>;
}

/** Starts a server in a temporary directory and prepares the template. */
export async function startTestServer(): Promise<TestServer> {
  const log = pino({ level: 'warn' });
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-test-'));
  const server = await startEmbeddedPostgres({ dataDir, log, disposable: true });
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

/** The same server and role, another database. */
export function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
