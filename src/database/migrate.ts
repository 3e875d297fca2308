import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Logger } from 'pino';
import { checkPostgres, type PostgresSettings } from './connection/check-postgres.ts';
import { connectPatiently } from './connection/connect-patiently.ts';
import { LIFT_TRANSACTION_TIMEOUT, withSettings } from './connection/session-settings.ts';
import { DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE, type Queryable, sqlStateOf } from './database.ts';
import { firstRow } from './first-row.ts';

/**
 * Migrations are plain SQL files named `0001_what_it_does.sql`, run once each, in order, in a transaction of their own.
 * The whole file is run as it stands, without markers. It must not hold a comment line that starts with
 * "Up Migration" or "Down Migration": node-pg-migrate cuts the file there.
 */
const migrationsDir = join(import.meta.dirname, 'migrations');
const migrationFile = /^\d{4}_.+\.sql$/;
const everyOtherFile = String.raw`(?!\d{4}_.+\.sql$).*`;
const applicationName = 'fairway migrate';
const migrationsTable = 'schema_migrations';
const undefinedTable = '42P01';
/** What node-pg-migrate locks by itself, and nodes of any version have to agree on. */
const migrationLock = '7241865325823964';

interface MigrateOptions {
  connectionString: string;
  log: Logger;
  /** Where the SQL files are; the project's own by default. */
  dir?: string;
  /** Ends the waiting for PostgreSQL and for other nodes at once; what is being applied is finished. */
  stop?: AbortSignal;
  /** How long PostgreSQL is waited for; 30 s when absent. */
  patienceMs?: number;
}

/** A migration may take its time; connecting to apply it may not. */
const answerTimeoutMs = 5_000;
const leaveTimeoutMs = 1_000;
/** A role may have its own limits, and would never be done with a long migration or with waiting for another node's. */
const patientSettings = ['statement_timeout=0', 'lock_timeout=0', 'idle_in_transaction_session_timeout=0'];
/**
 * Whoever waits for a table keeps all others waiting who come after: nodes of the version before. Somebody may be reading it for hours, such
 * as a backup. An autovacuum in the way is ended by PostgreSQL after `deadlock_timeout`, a second as a rule.
 */
const tableWait = '2s';
const tableAgainMs = 2_000;

/**
 * Brings the database up to this version of the code and returns the names applied, oldest first (empty when there
 * was nothing to do, which is found out without waiting for another node). Waits for a PostgreSQL that is not up yet. Nodes starting
 * together wait for each other; the later ones find the work done. So it does for those who use a table that is to be changed, in turns, so
 * that nodes of the version before go on. Throws why the database cannot be used, or what PostgreSQL reports; the failing migration is
 * rolled back, those before it stay.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { connectionString, log, dir = migrationsDir } = options;
  if (!(await isBehind(options, dir))) return [];

  // A client of our own, because the runner does not wait for the connection it opens itself to be gone,
  // and a database with a connection cannot be used as a template.
  const client = new pg.Client({
    ...withSettings(connectionString, patientSettings),
    application_name: applicationName,
    connectionTimeoutMillis: answerTimeoutMs,
    keepAlive: true,
  });
  // Without a listener, a connection lost between two queries would end the process.
  client.on('error', (error) => log.error({ err: error }, 'connection lost while migrating'));
  await client.connect();
  try {
    await client.query(`SELECT ${LIFT_TRANSACTION_TIMEOUT}`);
    await takeTurn(client, options.stop);
    const pending = await pendingMigrations(queryableOf(client), dir);
    await client.query(`SET lock_timeout = '${tableWait}'`);
    for (let isFirst = true; !(await applyPending(client, dir, log, isFirst)); isFirst = false)
      await delay(tableAgainMs, undefined, { signal: options.stop });
    return pending;
  } finally {
    await client.end();
  }
}

/** Applies what is pending. Answers false when somebody uses a table that is to be changed, and has it logged where that is `news`. */
async function applyPending(client: pg.Client, dir: string, log: Logger, news: boolean): Promise<boolean> {
  try {
    await runner({
      dbClient: client,
      dir,
      ignorePattern: everyOtherFile,
      direction: 'up',
      migrationsTable,
      migrationsSchema: await findMigrationsSchema(client),
      noLock: true,
      singleTransaction: false,
      logger: {
        info: (message) => log.debug(message),
        warn: (message) => log.warn(message),
        // All of the SQL that failed, before the reason it throws.
        error: (message) => log.debug(message),
      },
    });
    return true;
  } catch (error) {
    const migration = await findFailed(client, dir).catch(() => undefined);
    if (!isInTheWay(sqlStateOf(error))) {
      const at = migration === undefined ? '' : ` (${migration})`;
      const { message } = error as Error;
      throw new Error(`The database could not be brought up to this version${at}: ${message}`, { cause: error });
    }
    if (news) {
      const longest = await findLongestTransaction(client);
      log.warn({ migration, longest }, 'waiting for somebody who uses a table that is to be changed');
    }
    return false;
  }
}

/** Tells whether another session's use of a table stopped a migration. A migration of two tables may deadlock with a reader of both. */
function isInTheWay(sqlState: string | undefined): boolean {
  return sqlState === LOCK_NOT_AVAILABLE || sqlState === DEADLOCK_DETECTED;
}

/** Who has had a transaction open for the longest time: most likely whom a migration waits for. */
async function findLongestTransaction(
  client: pg.Client,
): Promise<{ pid: number; application: string; seconds: number } | undefined> {
  const { rows } = await client.query<{ pid: number; application: string; seconds: number }>(`
    SELECT pid, application_name AS application, extract(epoch FROM now() - xact_start)::int AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
    ORDER BY xact_start LIMIT 1`);
  return rows[0];
}

/** Waits until no other node migrates, and keeps the others waiting until the connection ends. Rejects when `stop` aborts. */
async function takeTurn(client: pg.Client, stop: AbortSignal | undefined): Promise<void> {
  // Ended while it waits, the connection is gone at once.
  const leave = () => void client.end();
  stop?.throwIfAborted();
  stop?.addEventListener('abort', leave, { once: true });
  try {
    await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
  } catch (error) {
    stop?.throwIfAborted();
    throw error;
  } finally {
    stop?.removeEventListener('abort', leave);
  }
}

/** The migration that has just failed. The runner leaves its transaction open. */
async function findFailed(client: pg.Client, dir: string): Promise<string | undefined> {
  await client.query('ROLLBACK');
  const [failed] = await pendingMigrations(queryableOf(client), dir);
  return failed;
}

/** Where migrations are noted, or will be: with the tables, which are made in the first schema of the search path. */
async function findMigrationsSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(`
    SELECT coalesce(
      (SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('${migrationsTable}')),
      current_schema()
    ) AS schema`);
  return rows[0]?.schema ?? 'public';
}

async function readSettings(client: pg.Client): Promise<PostgresSettings> {
  const text = `
    SELECT
      current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      current_schema() AS schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
      current_setting('transaction_read_only')::boolean AS "readOnly",
      current_setting('fsync')::boolean AND current_setting('synchronous_commit') <> 'off' AS durable,
      current_setting('plan_cache_mode') = 'force_generic_plan' AS "keepsSettings"`;
  const { rows } = await client.query<PostgresSettings>(text);
  return firstRow(rows);
}

/** Whether any migration is pending. A connection of its own, because this one must answer in time. */
async function isBehind(options: MigrateOptions, dir: string): Promise<boolean> {
  const client = await connectPatiently({ ...options, applicationName });
  try {
    const settings = await readSettings(client);
    checkPostgres(settings);
    if (!settings.durable) {
      options.log.warn('fsync or synchronous_commit is off: what was accepted is lost when PostgreSQL crashes');
    }
    const pending = await pendingMigrations(queryableOf(client), dir);
    return pending.length > 0;
  } finally {
    // On a connection that leads nowhere, taking leave would never end.
    await Promise.race([client.end(), delay(leaveTimeoutMs, undefined, { ref: false })]);
  }
}

function queryableOf(client: pg.Client): Queryable {
  return { query: async (statement) => (await client.query(statement)).rows };
}

/** The names of the migrations this version of the code needs and the database does not have yet, oldest first. */
export async function pendingMigrations(db: Queryable, dir = migrationsDir): Promise<string[]> {
  const names = await listMigrations(dir);
  if (names.length === 0) return [];
  const applied = await listApplied(db);
  return names.filter((name) => !applied.has(name));
}

async function listMigrations(dir: string): Promise<string[]> {
  const files = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files
    .filter((file) => migrationFile.test(file))
    .sort()
    .map((file) => file.slice(0, -'.sql'.length));
}

async function listApplied(db: Queryable): Promise<Set<string>> {
  try {
    const rows = await db.query<{ name: string }>({ text: `SELECT name FROM ${migrationsTable}` });
    return new Set(rows.map((row) => row.name));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return new Set();
    throw error;
  }
}
