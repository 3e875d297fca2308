import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { templateName, withDatabase } from './template-database.ts';

export interface TestDatabase {
  connectionString: string;
  /** Drops the database and closes the connections still open to it. */
  drop(): Promise<void>;
}

/** A test, or the `after` of a whole file. */
export interface Scope {
  after(end: () => Promise<void>): void;
}

let ownServer: Promise<string> | undefined;

/**
 * Creates an empty, migrated database for one test file or test, dropped after `t` if given. In a run without the global setup, the first
 * call of the process starts a server, which ends with the process.
 */
export async function createTestDatabase(t?: Scope): Promise<TestDatabase> {
  const admin = await findServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(admin, `CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  const drop = () => execute(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  t?.after(drop);
  return { connectionString: withDatabase(admin, name), drop };
}

/** Opens a pool on a new database (`createTestDatabase`); both end after `t`. */
export async function openTestDatabase(t: Scope): Promise<Database> {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  return db;
}

function findServer(): Promise<string> | string {
  const shared = process.env.FAIRWAY_TEST_DATABASE_URL;
  if (shared !== undefined) return shared;
  ownServer ??= startOwnServer();
  return ownServer;
}

/** Starts a server. Imports its code only here, because a run of all files has already started one. */
async function startOwnServer(): Promise<string> {
  const { startTestServer } = await import('./test-server.ts');
  return (await startTestServer()).connectionString;
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
