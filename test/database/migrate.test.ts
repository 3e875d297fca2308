import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { checkPostgres, weaknessBesideStandby } from '../../src/database/connection/check-postgres.ts';
import { openDatabase, type Queryable } from '../../src/database/database.ts';
import { migrate, pendingMigrations } from '../../src/database/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { withDatabase } from '../harness/template-database.ts';
import { until } from '../harness/tenant.ts';

const log = pino({ level: 'silent' });
/** The lock that node-pg-migrate holds while it works. */
const MIGRATION_LOCK = '7241865325823964';

/** Creates an unmigrated schema in a new database, and a directory of migrations. */
async function setUp(t: TestContext, files: Record<string, string>) {
  const { connectionString } = await createTestDatabase(t);
  const database = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => database.close());
  await database.query({ text: 'DROP TABLE IF EXISTS schema_migrations' });
  const dir = await mkdtemp(join(tmpdir(), 'fairway-migrations-'));
  t.after(() => rm(dir, { recursive: true }));
  for (const [name, sql] of Object.entries(files)) await writeFile(join(dir, name), sql);
  return { connectionString, database, dir };
}

test('migrations: applied in order, once', async (t) => {
  const { connectionString, dir } = await setUp(t, {
    '0001_first.sql': 'CREATE TABLE step (name text); INSERT INTO step VALUES ($$first;$$);',
    '0002_second.sql': 'ALTER TABLE step ADD COLUMN added integer;',
  });
  assert.deepEqual(await migrate({ connectionString, log, dir }), ['0001_first', '0002_second']);
  assert.deepEqual(await migrate({ connectionString, log, dir }), []);
});

test('pending migrations: those in the code but not in the database', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step ();' });
  assert.deepEqual(await pendingMigrations(database, dir), ['0001_first']);
  await migrate({ connectionString, log, dir });
  await writeFile(join(dir, '0002_second.sql'), 'SELECT 1;');
  assert.deepEqual(await pendingMigrations(database, dir), ['0002_second']);
});

test('nodes that start together: migrate once and all see the result', async (t) => {
  const { connectionString, database, dir } = await setUp(t, {
    // Slow enough that the others arrive while it runs.
    '0001_first.sql': 'CREATE TABLE step (); SELECT pg_sleep(0.2);',
    '0002_second.sql': 'ALTER TABLE step ADD COLUMN added integer;',
  });
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate({ connectionString, log, dir })));
  assert.deepEqual(applied.flat(), ['0001_first', '0002_second']);
  assert.deepEqual(await pendingMigrations(database, dir), []);
});

test('a node with nothing to migrate: does not wait for one that migrates', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step ();' });
  await migrate({ connectionString, log, dir });
  await database.transaction(async (tx) => {
    const lock = await tx.query<{ held: boolean }>({
      text: 'SELECT pg_try_advisory_xact_lock($1::bigint) AS held',
      values: [MIGRATION_LOCK],
    });
    assert.deepEqual(lock, [{ held: true }]);
    assert.deepEqual(await migrate({ connectionString, log, dir }), []);
  });
});

test('a stop: ends the wait for a migrating node and leaves the migrations to others', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step ();' });
  const stop = new AbortController();
  await database.transaction(async (tx) => {
    await tx.query({ text: `SELECT pg_advisory_lock(${MIGRATION_LOCK})` });
    const migrated = assert.rejects(migrate({ connectionString, log, dir, stop: stop.signal }), { name: 'AbortError' });
    await untilWaiting(database);
    stop.abort();
    await migrated;
    await tx.query({ text: `SELECT pg_advisory_unlock(${MIGRATION_LOCK})` });
  });
  assert.deepEqual(await pendingMigrations(database, dir), ['0001_first']);
  assert.deepEqual(await migrate({ connectionString, log, dir }), ['0001_first']);
});

test('a migration: waits for long readers of its table, and lets other sessions go on', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step (name text);' });
  await migrate({ connectionString, log, dir });
  await writeFile(join(dir, '0002_second.sql'), 'ALTER TABLE step ADD COLUMN added integer;');
  const said: { migration?: string }[] = [];
  const loud = pino({ level: 'warn' }, { write: (line) => said.push(JSON.parse(line)) });
  let migrated: Promise<string[]> | undefined;
  await database.transaction(async (tx) => {
    await tx.query({ text: `SET LOCAL application_name = 'pg_dump'` });
    await tx.query({ text: 'SELECT FROM step' });
    migrated = migrate({ connectionString, log: loud, dir });
    migrated.catch(() => {});
    await untilWaiting(database);
    // The migration would wait for the whole transaction; only a time limit of its own ends the wait.
    await database.query({ text: `INSERT INTO step VALUES ('meanwhile')` });
    assert.deepEqual(await pendingMigrations(database, dir), ['0002_second']);
    await until('it is logged', () => said.find(({ migration }) => migration !== undefined));
  });
  assert.deepEqual(await migrated, ['0002_second']);
  assert.partialDeepStrictEqual(said.at(-1), { migration: '0002_second', longest: { application: 'pg_dump' } });
});

test('a migration of two tables: a deadlock with whoever reads both → tried again, and applied', async (t) => {
  const { connectionString, database, dir } = await setUp(t, {
    '0001_first.sql': 'CREATE TABLE one (); CREATE TABLE two ();',
  });
  await migrate({ connectionString, log, dir });
  const alter = (table: string) => `ALTER TABLE ${table} ADD COLUMN added integer;`;
  await writeFile(join(dir, '0002_second.sql'), alter('one') + alter('two'));
  let migrated: Promise<string[]> | undefined;
  await database.transaction(async (tx) => {
    await tx.query({ text: 'SELECT FROM two' });
    migrated = migrate({ connectionString, log, dir });
    migrated.catch(() => {});
    await untilWaiting(database);
    // PostgreSQL ends the one that has waited for longer, which is the migration.
    await tx.query({ text: 'SELECT FROM one' });
  });
  assert.deepEqual(await migrated, ['0002_second']);
});

test('a failing migration: rolled back completely, earlier ones stay', async (t) => {
  const { connectionString, database, dir } = await setUp(t, {
    '0001_good.sql': 'CREATE TABLE good ();',
    '0002_bad.sql': 'CREATE TABLE half (); SELECT 1/0;',
  });
  const said: string[] = [];
  const loud = pino({ level: 'info' }, { write: (line) => said.push(line) });
  await assert.rejects(migrate({ connectionString, log: loud, dir }), {
    message: 'The database could not be brought up to this version (0002_bad): division by zero',
  });
  assert.doesNotMatch(said.join(), /CREATE TABLE/, 'a log is no place for all of its SQL');
  assert.deepEqual(await pendingMigrations(database, dir), ['0002_bad']);
  const text = `SELECT to_regclass('good') IS NOT NULL AS good, to_regclass('half') IS NOT NULL AS half`;
  assert.deepEqual(await database.query({ text }), [{ good: true, half: false }]);
});

test('a migration that sorts before an applied one: refused', async (t) => {
  const { connectionString, dir } = await setUp(t, { '0002_second.sql': 'SELECT 1;' });
  await migrate({ connectionString, log, dir });
  await writeFile(join(dir, '0001_first.sql'), 'SELECT 1;');
  await assert.rejects(migrate({ connectionString, log, dir }), /0001_first is preceding/);
});

test('no migrations: nothing to do and nothing pending; without their folder: refused', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { 'README.md': 'not a migration' });
  assert.deepEqual(await migrate({ connectionString, log, dir }), []);
  assert.deepEqual(await pendingMigrations(database, dir), []);
  await assert.rejects(migrate({ connectionString, log, dir: join(dir, 'missing') }), { code: 'ENOENT' });
});

test('an unreachable database: named as the cause', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const connectionString = `postgres://user:secret-password@${host}:1/none`;
    await assert.rejects(migrate({ connectionString, log, patienceMs: 0 }), {
      message: /^PostgreSQL cannot be used: (?!.*secret-password).*ECONNREFUSED/,
    });
  }
});

test('a database with a limited encoding, and an old server: refused', async (t) => {
  const { connectionString, database } = await setUp(t, {});
  const name = `latin_${process.pid}`;
  await database.query({
    text: `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
  });
  const migrated = migrate({ connectionString: withDatabase(connectionString, name), log });
  await assert.rejects(migrated, { message: /^The database's encoding is LATIN1 and must be UTF8/ });
  await database.query({ text: `DROP DATABASE ${name}` });
  const fit = {
    version: 150_004,
    encoding: 'UTF8',
    schema: 'public',
    mayCreate: true,
    readOnly: false,
    durable: true,
    synchronousCommit: 'on',
    hasSynchronousStandby: false,
    keepsSettings: true,
  };
  checkPostgres(fit);
  assert.throws(() => checkPostgres({ ...fit, version: 140_011 }), /15 or newer is needed; this is 14\./);
});

test('synchronous standby: synchronous_commit does not wait for its disk → a warning', () => {
  const weakness = (synchronousCommit: string, hasSynchronousStandby = true) =>
    weaknessBesideStandby({ synchronousCommit, hasSynchronousStandby });
  for (const value of ['local', 'remote_write'])
    assert.match(weakness(value) ?? '', new RegExp(`^synchronous_commit is ${value}: .* Set it to on\\.$`));
  for (const value of ['on', 'remote_apply']) assert.equal(weakness(value), undefined);
  assert.equal(weakness('local', false), undefined);
});

test('a database without the right to create tables: refused, with the necessary change', async (t) => {
  const { connectionString, database } = await setUp(t, {});
  const name = new URL(connectionString).pathname.slice(1);
  await database.query({ text: 'REVOKE CREATE ON SCHEMA public FROM pg_database_owner' });
  await assert.rejects(migrate({ connectionString, log }), {
    message: /^The user of DATABASE_URL may not create tables in schema public: /,
  });
  await database.query({ text: `ALTER DATABASE ${name} SET search_path = elsewhere` });
  await assert.rejects(migrate({ connectionString, log }), { message: /^No schema of the search_path exists: / });
  await database.query({ text: `ALTER DATABASE ${name} SET default_transaction_read_only = on` });
  await assert.rejects(migrate({ connectionString, log }), {
    message: /^The database takes no writes: default_transaction_read_only is on/,
  });
});

test('a schema of its own: the gateway needs no other, and two share one database', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step ();' });
  await database.query({ text: 'REVOKE ALL ON SCHEMA public FROM pg_database_owner, public' });
  for (const schema of ['one', 'other']) {
    await database.query({ text: `CREATE SCHEMA ${schema}` });
    const url = new URL(connectionString);
    url.searchParams.set('options', `-c search_path=${schema}`);
    assert.deepEqual(await migrate({ connectionString: url.href, log, dir }), ['0001_first']);
    assert.deepEqual(await migrate({ connectionString: url.href, log, dir }), []);
  }
  const tables = await database.query({
    text: `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('one', 'other') ORDER BY 1`,
  });
  assert.deepEqual(
    tables.map(({ name }) => name),
    ['one.schema_migrations', 'one.step', 'other.schema_migrations', 'other.step'],
  );
});

test('a schema earlier in the search path: the tables stay in theirs', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_first.sql': 'CREATE TABLE step ();' });
  await migrate({ connectionString, log, dir });
  await database.query({ text: 'CREATE SCHEMA fairway' });
  await writeFile(join(dir, '0002_second.sql'), 'ALTER TABLE step ADD COLUMN added integer;');
  const url = new URL(connectionString);
  url.searchParams.set('options', '-c search_path=fairway,public');
  assert.deepEqual(await migrate({ connectionString: url.href, log, dir }), ['0002_second']);
});

/** True if the server knows the limit of whole transactions: from version 17 on. */
async function hasTransactionTimeout(database: Queryable): Promise<boolean> {
  const rows = await database.query({ text: "SELECT FROM pg_settings WHERE name = 'transaction_timeout'" });
  return rows.length > 0;
}

test('time limits of a role: do not apply to its migrations', async (t) => {
  const { connectionString, database, dir } = await setUp(t, { '0001_slow.sql': 'SELECT pg_sleep(0.1);' });
  const name = new URL(connectionString).pathname.slice(1);
  await database.query({ text: `ALTER DATABASE ${name} SET statement_timeout = '50ms'` });
  await database.query({ text: `ALTER DATABASE ${name} SET lock_timeout = '10ms'` });
  if (await hasTransactionTimeout(database))
    await database.query({ text: `ALTER DATABASE ${name} SET transaction_timeout = '50ms'` });
  assert.deepEqual(await migrate({ connectionString, log, dir }), ['0001_slow']);
});

test('settings of a database: do not change the values read from it', async (t) => {
  const { connectionString, database } = await setUp(t, {});
  const name = new URL(connectionString).pathname.slice(1);
  await database.query({ text: `ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'` });
  await database.query({ text: `ALTER DATABASE ${name} SET timezone = 'Asia/Kathmandu'` });
  await database.query({ text: `ALTER DATABASE ${name} SET bytea_output = 'escape'` });
  await database.query({ text: `ALTER DATABASE ${name} SET extra_float_digits = -5` });
  await database.query({ text: `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'` });
  await database.query({ text: `ALTER DATABASE ${name} SET idle_session_timeout = '1s'` });
  const limits = await hasTransactionTimeout(database);
  if (limits) await database.query({ text: `ALTER DATABASE ${name} SET transaction_timeout = '1s'` });
  const later = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => later.close());
  const at = new Date('2026-03-04T05:06:07.089Z');
  const text = `SELECT $1::timestamptz AS at, '\\x00ff41'::bytea AS bytes, 2.5::real AS pace, 1764000000123::float8 AS "atMs"`;
  const read = { at, bytes: Buffer.from('00ff41', 'hex'), pace: 2.5, atMs: 1_764_000_000_123 };
  assert.deepEqual(await later.query({ text, values: [at] }), [read]);
  const kept = await later.query({
    text: `
      SELECT current_setting('transaction_isolation') AS isolation, current_setting('idle_session_timeout') AS idle,
             current_setting('transaction_timeout', true) AS whole`,
  });
  assert.deepEqual(kept, [{ isolation: 'read committed', idle: '0', whole: limits ? '0' : null }]);
});

test('options in DATABASE_URL: apply beside the session settings', async (t) => {
  const { connectionString } = await setUp(t, {});
  const url = new URL(connectionString);
  url.searchParams.set('options', '-c search_path=pg_temp,public -c datestyle=German -c work_mem=1234kB');
  const db = openDatabase({ connectionString: url.href, onIdleError: () => {} });
  t.after(() => db.close());
  const settings = ['search_path', 'work_mem', 'datestyle', 'statement_timeout', 'enable_hashjoin'];
  const rows = await db.query({
    text: 'SELECT current_setting(name) AS value FROM unnest($1::text[]) AS name',
    values: [settings],
  });
  assert.deepEqual(
    rows.map(({ value }) => value),
    ['pg_temp,public', '1234kB', 'ISO, DMY', '10s', 'off'],
  );
});

test('test databases: migrated, without tenants, and separate from each other', async (t) => {
  const [one, other] = await Promise.all([createTestDatabase(t), createTestDatabase(t)]);
  const open = (connectionString: string) => openDatabase({ connectionString, onIdleError: () => {} });
  const [first, second] = [open(one.connectionString), open(other.connectionString)];
  t.after(() => Promise.all([first.close(), second.close()]));
  assert.deepEqual(await pendingMigrations(first), []);
  await first.query({ text: 'CREATE TABLE only_here ()' });
  assert.deepEqual(await second.query({ text: `SELECT to_regclass('only_here') AS found` }), [{ found: null }]);
});
