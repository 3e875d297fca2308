import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Logger } from 'pino';
import { checkPostgres, type PostgresSettings, weaknessBesideStandby } from './connection/check-postgres.ts';
import { connectPatiently } from './connection/connect-patiently.ts';
import { LIFT_TRANSACTION_TIMEOUT } from './connection/session-settings.ts';
import type { Queryable } from './database.ts';
import { DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE, sqlStateOf } from './failures.ts';
import { firstRow } from './first-row.ts';

/**
 * Folder of the migrations: plain SQL files named `0001_what_it_does.sql`, each run once, in order, in its own transaction. The whole
 * file is run, without markers. It must not hold a comment line that starts with "Up Migration" or "Down Migration":
 * node-pg-migrate cuts the file there.
 */
const migrationsDir = join(import.meta.dirname, 'migrations');
const migrationFile = /^\d{4}_.+\.sql$/;
const everyOtherFile = String.raw`(?!\d{4}_.+\.sql$).*`;
const applicationName = 'fairway migrate';
const migrationsTable = 'schema_migrations';
const undefinedTable = '42P01';
/** The key node-pg-migrate locks by default. Nodes of every version must use the same key. */
const migrationLock = '7241865325823964';

interface MigrateOptions {
  /** Must lead to the server itself, past any pooler. */
  connectionString: string;
  log: Logger;
  /** Folder of the SQL files; the project's own by default. */
  dir?: string;
  /** Ends the wait for PostgreSQL and for other nodes at once; a migration in progress is finished. */
  stop?: AbortSignal;
  /** Longest wait for PostgreSQL, in milliseconds; 30 s when absent. */
  patienceMs?: number;
}

const leaveTimeoutMs = 1_000;
/** Lifts the limits a role may have: with them, a long migration or the wait for another node's would never finish. */
const patientSettings = ['statement_timeout=0', 'lock_timeout=0', 'idle_in_transaction_session_timeout=0'];
/**
 * Longest wait for a table. A waiting migration blocks every later user of the table, such as nodes of the previous version, and a
 * reader such as a backup may take hours. PostgreSQL ends a blocking autovacuum after `deadlock_timeout`, usually 1 s.
 */
const tableWait = '2s';
const tableAgainMs = 2_000;

/**
 * Brings the database up to this version of the code and returns the names applied, oldest first. Returns an empty list without waiting
 * for other nodes if the database is up to date. Waits for a PostgreSQL that is not up yet. Nodes that start together wait for each other,
 * and the later ones find the work done. While another session uses a table that must change, the migration waits in short intervals,
 * so that nodes of the previous version go on. Throws the reason why the database cannot be used, or PostgreSQL's error; the failing
 * migration is rolled back, earlier ones stay.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { log, dir = migrationsDir } = options;
  if (!(await isBehind(options, dir))) return [];

  // A client of our own: the runner does not wait until its own connection is closed, and a database with an open connection
  // cannot be used as a template.
  const client = await connectPatiently({ ...options, applicationName, settings: patientSettings, answersLate: true });
  client.on('error', (error) => log.error({ err: error }, 'connection lost while migrating'));
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

/** Applies the pending migrations. Returns false if another session uses a table that must change, and logs that if `news` is set. */
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
        // The full text of the failed SQL; the reason follows in the error it throws.
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
      log.warn({ migration, longest }, 'waiting for another session that uses a table to be changed');
    }
    return false;
  }
}

/** Tells whether another session's use of a table stopped a migration. A migration of two tables may deadlock with a reader of both. */
function isInTheWay(sqlState: string | undefined): boolean {
  return sqlState === LOCK_NOT_AVAILABLE || sqlState === DEADLOCK_DETECTED;
}

/** The session with the oldest open transaction: most likely the one that blocks the migration. */
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

/** Waits until no other node migrates, and keeps other nodes waiting until the connection ends. Rejects when `stop` aborts. */
async function takeTurn(client: pg.Client, stop: AbortSignal | undefined): Promise<void> {
  // Ending a connection that waits for the lock closes it at once.
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

/** The migration that has just failed. Rolls back first, because the runner leaves its transaction open. */
async function findFailed(client: pg.Client, dir: string): Promise<string | undefined> {
  await client.query('ROLLBACK');
  const [failed] = await pendingMigrations(queryableOf(client), dir);
  return failed;
}

/** The schema of the migrations table. A new one goes where the tables go: the first schema of the search path. */
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
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('synchronous_standby_names') <> '' AS "hasSynchronousStandby",
      current_setting('plan_cache_mode') = 'force_generic_plan' AS "keepsSettings"`;
  const { rows } = await client.query<PostgresSettings>(text);
  return firstRow(rows);
}

/** True if a migration is pending. Uses its own connection, because this check has a time limit. */
async function isBehind(options: MigrateOptions, dir: string): Promise<boolean> {
  const client = await connectPatiently({ ...options, applicationName });
  try {
    const settings = await readSettings(client);
    checkPostgres(settings);
    if (!settings.durable) {
      options.log.warn('fsync or synchronous_commit is off: what was accepted is lost when PostgreSQL crashes');
    }
    const weakness = weaknessBesideStandby(settings);
    if (weakness !== undefined) options.log.warn(weakness);
    const pending = await pendingMigrations(queryableOf(client), dir);
    return pending.length > 0;
  } finally {
    // On a connection that no longer reaches the server, `end` would never resolve.
    await Promise.race([client.end(), delay(leaveTimeoutMs, undefined, { ref: false })]);
  }
}

function queryableOf(client: pg.Client): Queryable {
  return { query: async (statement) => (await client.query(statement)).rows };
}

/** The names of the migrations that this version needs and the database lacks, oldest first. */
export async function pendingMigrations(db: Queryable, dir = migrationsDir): Promise<string[]> {
  const names = await listMigrations(dir);
  const applied = await listApplied(db);
  return names.filter((name) => !applied.has(name));
}

async function listMigrations(dir: string): Promise<string[]> {
  return (await readdir(dir))
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
