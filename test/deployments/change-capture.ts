import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant, until } from '../harness/tenant.ts';
import { PostgresServer } from './postgres-server.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const DAY_MS = 86_400_000;
/** Time from the start of the script to its midnight. */
const BEFORE_MIDNIGHT_MS = 120_000;
const AFTER_MIDNIGHT_MS = 10_000;
/** Tables of the warehouse: one with updates in days, one without, and one that is not divided into days. */
const COPIED = ['message', 'event', 'organization'];
const DIVIDED = ['message', 'event'];
/** Variables by which the processes of the gateway get the script's time. */
const TIME_VARIABLES = ['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC'];

/**
 * Copies the changes of a gateway to a warehouse by logical replication while messages are sent over midnight, and compares the two. Runs
 * under `faketime`, so that midnight comes at once. Returns true if every promise was kept.
 */
export async function runChangeCapture(): Promise<boolean> {
  if (process.env.FAKETIME === undefined) return await runBeforeMidnight();
  const dir = await mkdtemp(join(tmpdir(), 'fairway-change-capture-'));
  const [source, warehouse] = [
    await PostgresServer.prepare(dir, 'source'),
    await PostgresServer.prepare(dir, 'warehouse'),
  ];
  const gateway = await createRestartableGateway({
    DATABASE_URL: source.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
    ...Object.fromEntries(TIME_VARIABLES.map((name) => [name, process.env[name] ?? ''])),
  });
  try {
    await source.create({ wal_level: 'logical' });
    await warehouse.create();
    const served = await gateway.start();
    const tenant = await createTenant(served);
    await source.query('CREATE PUBLICATION warehouse FOR ALL TABLES WITH (publish_via_partition_root = true)');
    await subscribe(source, warehouse, dir);
    const load = new SteadyLoad([served], tenant, PER_SECOND);
    const midnightMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    if (midnightMs - Date.now() > BEFORE_MIDNIGHT_MS) throw new Error('midnight passed before the load began');
    await delay(midnightMs + AFTER_MIDNIGHT_MS - Date.now());
    const tally = await load.stop();
    console.log(`over midnight, all tables published: ${describeTally(tally)}`);
    const differing = await compare(source, warehouse);
    console.log(
      differing.length === 0 ? 'the warehouse has the same rows' : `the warehouse differs in ${differing.join(', ')}`,
    );
    return tally.lost === 0 && tally.doubled === 0 && tally.refused === 0 && differing.length === 0;
  } finally {
    await gateway.close();
    for (const server of [warehouse, source]) await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs this script again in a process whose clock is just before midnight. */
async function runBeforeMidnight(): Promise<boolean> {
  const untilMidnightMs = DAY_MS - (Date.now() % DAY_MS);
  const aheadS = Math.round((untilMidnightMs - BEFORE_MIDNIGHT_MS) / 1_000);
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn(
    'faketime',
    ['-f', `${aheadS >= 0 ? '+' : ''}${aheadS}s`, process.execPath, main, 'change-capture'],
    {
      stdio: 'inherit',
      env: { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** Creates the tables of the warehouse and subscribes to the changes, as `docs/operations.md` describes it. */
async function subscribe(source: PostgresServer, warehouse: PostgresServer, dir: string): Promise<void> {
  const tables = COPIED.flatMap((table) => ['-t', `public.${table}`]);
  const address = ['-h', '127.0.0.1', '-U', 'fairway'];
  const schema = await source.tool('pg_dump', [
    ...address,
    '-p',
    String(source.port),
    '--schema-only',
    ...tables,
    'fairway',
  ]);
  const file = join(dir, 'schema.sql');
  const rest = DIVIDED.map((table) => `CREATE TABLE ${table}_all PARTITION OF public.${table} DEFAULT;\n`);
  await writeFile(file, [schema, 'SET search_path = public;\n', ...rest].join(''));
  await warehouse.tool('psql', [
    ...address,
    '-p',
    String(warehouse.port),
    '-q',
    '-v',
    'ON_ERROR_STOP=1',
    '-f',
    file,
    'fairway',
  ]);
  // The publication has all tables; the warehouse subscribes to some of them through one of its own.
  await source.query(
    `CREATE PUBLICATION some_tables FOR TABLE ${COPIED.join()} WITH (publish_via_partition_root = true)`,
  );
  await warehouse.query(`
    CREATE SUBSCRIPTION warehouse CONNECTION 'host=127.0.0.1 port=${source.port} user=postgres dbname=fairway'
    PUBLICATION some_tables`);
}

/** The tables whose rows differ, once the warehouse has caught up. */
async function compare(source: PostgresServer, warehouse: PostgresServer): Promise<string[]> {
  const [{ position } = { position: '0/0' }] = await source.query<{ position: string }>(
    'SELECT pg_current_wal_lsn()::text AS position',
  );
  await until('the warehouse has caught up', async () => {
    const [row] = await source.query<{ done: boolean }>(
      `SELECT bool_and(confirmed_flush_lsn >= '${position}') AS done FROM pg_replication_slots WHERE slot_name = 'warehouse'`,
    );
    return row?.done ? true : undefined;
  });
  const differing: string[] = [];
  for (const table of COPIED) {
    const text = `SELECT count(*)::int AS rows, coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest FROM ${table} t`;
    const [there] = await source.query<{ rows: number; digest: string }>(text);
    const [here] = await warehouse.query<{ rows: number; digest: string }>(text);
    console.log(`${table}: ${there?.rows} rows, ${here?.rows} in the warehouse`);
    if (there?.digest !== here?.digest || there?.rows !== here?.rows) differing.push(table);
  }
  return differing;
}
