import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { connectPatiently } from '../../src/database/connection/connect-patiently.ts';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/tenant.ts';

/** A log that collects its lines. */
function openMemory() {
  const lines: { msg: string; reason: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

/** Connects as at the start of the gateway. */
function connectTo(connectionString: string, options: { stop?: AbortSignal; patienceMs?: number } = {}) {
  const { log, lines } = openMemory();
  const connected = connectPatiently({ connectionString, applicationName: 'test', log, ...options });
  connected.catch(() => {});
  return { connected, lines };
}

function change(connectionString: string, part: Partial<Pick<URL, 'port' | 'password' | 'pathname' | 'search'>>) {
  return Object.assign(new URL(connectionString), part).href;
}

async function selectOne(connected: Promise<pg.Client>): Promise<void> {
  const client = await connected;
  const { rows } = await client.query('SELECT 1 AS one').finally(() => client.end());
  assert.deepEqual(rows, [{ one: 1 }]);
}

test('PostgreSQL unreachable: the start waits and logs once', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const { hostname, port } = new URL(connectionString);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  t.after(() => proxy.close());
  await proxy.cut();
  const { connected, lines } = connectTo(change(connectionString, { port: String(proxy.port) }));
  await delay(700);
  await proxy.mend();
  await selectOne(connected);
  assert.deepEqual(
    lines.map(({ msg, reason }) => ({ msg, reason })),
    [{ msg: 'waiting for PostgreSQL', reason: `connect ECONNREFUSED 127.0.0.1:${proxy.port}` }],
  );
});

for (const [hotStandby, reason] of [
  ['off', 'the database system is not accepting connections'],
  ['on', 'it is in recovery, and takes no writes until it is promoted'],
] as const) {
  test(`a standby about to be promoted: the start waits (hot_standby = ${hotStandby})`, async (t) => {
    const parentDir = await mkdtemp(join(tmpdir(), 'fairway-standby-'));
    const dataDir = join(parentDir, 'data');
    const log = pino({ level: 'silent' });
    const port = await findFreePort();
    await startEmbeddedPostgres({ dataDir, log, port }).then((server) => server.stop());
    const clusterDir = join(dataDir, 'postgres');
    await writeFile(join(clusterDir, 'standby.signal'), '');
    await writeFile(join(clusterDir, 'postgresql.auto.conf'), `hot_standby = ${hotStandby}\n`);
    const starting = startEmbeddedPostgres({ dataDir, log, port });
    t.after(async () => {
      await promote(clusterDir);
      await (await starting).stop();
      await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
    });
    const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
    const connectionString = `postgres://fairway:${password}@127.0.0.1:${port}/fairway`;
    await untilSaid(connectionString, reason);

    const { connected, lines } = connectTo(connectionString);
    await delay(500);
    await promote(clusterDir);
    await selectOne(connected);
    assert.deepEqual(
      lines.map((line) => line.reason),
      [reason],
    );
  });
}

/** Resolves once `reason` explains why the server cannot be used. */
async function untilSaid(connectionString: string, reason: string): Promise<void> {
  let said = '';
  while (!said.includes(reason)) {
    said = await connectTo(connectionString, { patienceMs: 0 }).connected.then(
      () => assert.fail('it takes writes'),
      (error: Error) => error.message,
    );
    await delay(20);
  }
}

/** Does the same as `pg_ctl promote`. */
async function promote(clusterDir: string): Promise<void> {
  await writeFile(join(clusterDir, 'promote'), '');
  process.kill(Number.parseInt(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'), 10), 'SIGUSR1');
}

test('a server that never comes: given up in time', async () => {
  const { connected } = connectTo('postgres://user:secret@127.0.0.1:1/none', { patienceMs: 300 });
  await assert.rejects(connected, {
    message: 'PostgreSQL cannot be used: connect ECONNREFUSED 127.0.0.1:1 (after 0.3 s of waiting)',
  });
});

test('an error that waiting does not resolve: ends the start at once with its reason', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const cases = [
    [{ password: 'wrong' }, /password authentication failed/],
    [{ password: '' }, /SASL: .*password must be a string/],
    [{ pathname: '/absent' }, /database "absent" does not exist/],
    [{ search: '?sslmode=verify-full' }, /does not support SSL connections/],
    [{ search: '?sslrootcert=/absent/ca.pem' }, /: sslrootcert of DATABASE_URL: ENOENT.*'\/absent\/ca.pem'/],
  ] as const;
  for (const [part, reason] of cases) {
    const { connected, lines } = connectTo(change(connectionString, part));
    await assert.rejects(connected, (error: Error) => {
      assert.match(error.message, /^PostgreSQL cannot be used: (?!.*waiting)/);
      assert.match(error.message, reason);
      return true;
    });
    assert.deepEqual(lines, []);
  }
});

test('a stop: ends the waiting at once, between two attempts and during one', async (t) => {
  const silent = createServer((socket) => {
    t.after(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;

  const paused = new AbortController();
  const pausing = connectTo('postgres://user:secret@127.0.0.1:1/none', { stop: paused.signal });
  await until('an attempt has failed', () => pausing.lines.length > 0 || undefined);
  await assertEndsAtOnce(pausing.connected, paused);

  const unanswered = new AbortController();
  const asking = connectTo(`postgres://user:secret@127.0.0.1:${port}/none`, { stop: unanswered.signal });
  await once(silent, 'connection');
  await assertEndsAtOnce(asking.connected, unanswered);
});

async function assertEndsAtOnce(connected: Promise<pg.Client>, stop: AbortController): Promise<void> {
  let failure: Error | undefined;
  connected.catch((error: Error) => {
    failure = error;
  });
  stop.abort();
  // Turns of the event loop; neither a pause nor the wait for an answer ends within them.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  assert.equal(failure?.name, 'AbortError');
}
