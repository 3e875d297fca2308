import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { preparePooler } from '../../src/database/connection/pooler.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { createTenant, freshRecipient, sendTemplate, untilStatus } from '../harness/tenant.ts';
import { hasPgBouncer, type PgBouncer, type PgBouncerOptions, startPgBouncer } from '../support/pgbouncer.ts';

const log = pino({ level: 'silent' });

/** Returns the URL of a database behind a pooler that handles a session's first bytes as `begin` does. */
async function behindPooler(t: TestContext, begin: (client: Socket, startup: Buffer, server: URL) => void) {
  const { connectionString } = await createTestDatabase(t);
  const server = new URL(connectionString);
  const pooler = createServer((client) => {
    client.on('error', () => {});
    client.once('data', (startup) => begin(client, startup, server));
  }).listen(0, '127.0.0.1');
  t.after(() => pooler.close());
  await once(pooler, 'listening');
  const url = new URL(connectionString);
  url.port = String((pooler.address() as AddressInfo).port);
  return url.href;
}

/** Refuses as PgBouncer does for an unsupported startup parameter. */
function refuse(client: Socket): void {
  const fields = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: options\0\0');
  const header = Buffer.from('E\0\0\0\0');
  header.writeInt32BE(4 + fields.length, 1);
  client.end(Buffer.concat([header, fields]));
}

/** Forwards as PgBouncer does with parameters configured to be ignored. */
function ignoreOptions(client: Socket, startup: Buffer, server: URL): void {
  const parameters = startup.toString('latin1', 8).replace(/options\0[^\0]*\0/, '');
  const header = Buffer.from(startup.subarray(0, 8));
  header.writeInt32BE(8 + parameters.length, 0);
  const upstream = connect(Number(server.port), server.hostname);
  upstream.on('error', () => client.destroy());
  upstream.write(Buffer.concat([header, Buffer.from(parameters, 'latin1')]));
  client.pipe(upstream).pipe(client);
}

test('a pooler that refuses session settings: ends the start at once, with the remedy', async (t) => {
  const connectionString = await behindPooler(t, refuse);
  await assert.rejects(migrate({ connectionString, log }), {
    message:
      /^PostgreSQL cannot be used: unsupported startup parameter: options\. Behind a pooler .* set DATABASE_DIRECT_URL/,
  });
});

test('a pooler that drops session settings: detected before any work starts', async (t) => {
  const connectionString = await behindPooler(t, ignoreOptions);
  await assert.rejects(migrate({ connectionString, log }), {
    message: /^Session settings get lost on the way to PostgreSQL: Behind a pooler .* set DATABASE_DIRECT_URL/,
  });
});

const installed = hasPgBouncer();
const skip = !installed && process.env.CI === undefined ? 'PgBouncer is not installed' : false;

describe('behind PgBouncer', { skip }, () => {
  let database: TestDatabase;
  const poolers: PgBouncer[] = [];
  before(async () => {
    database = await createTestDatabase();
  });
  after(async () => {
    for (const pooler of poolers) await pooler.stop();
    await database.drop();
  });

  async function start(poolMode: PgBouncerOptions['poolMode'], poolSize?: number): Promise<string> {
    const pooler = await startPgBouncer(database.connectionString, {
      poolMode,
      ...(poolSize !== undefined && { poolSize }),
    });
    poolers.push(pooler);
    return pooler.url;
  }

  const prepare = (connectionString: string, directUrl = database.connectionString, preparesStatements = false) =>
    preparePooler({ connectionString, directUrl, preparesStatements, log, patienceMs: 2_000 });

  it('transaction mode: every session has the settings', async () => {
    const connectionString = await start('transaction');
    await prepare(connectionString);
    const db = openDatabase({ connectionString, throughPooler: true, preparesStatements: false, onIdleError() {} });
    const text = "SELECT current_setting('enable_seqscan') AS scan, current_setting('statement_timeout') AS timeout";
    const answers = await Promise.all(Array.from({ length: 40 }, () => db.query({ name: 'settings', text })));
    await db.close();
    for (const rows of answers) assert.deepEqual(rows, [{ scan: 'off', timeout: '10s' }]);
  });

  it('sessions from before the settings: the start names the remedy', async () => {
    const own = await createTestDatabase();
    const pooler = await startPgBouncer(own.connectionString, { poolMode: 'transaction' });
    try {
      const early = openDatabase({ connectionString: pooler.url, throughPooler: true, onIdleError() {} });
      await early.query({ text: 'SELECT 1' });
      await early.close();
      await assert.rejects(prepare(pooler.url, own.connectionString), {
        message: /^The pooler's sessions lack .*\(RECONNECT/,
      });
    } finally {
      await pooler.stop();
      await own.drop();
    }
  });

  it('statement mode: the start names pool_mode', async () => {
    await assert.rejects(prepare(await start('statement')), { message: /allows no transactions .* pool_mode/ });
  });

  it('another database behind DATABASE_DIRECT_URL: the start says so', async (t) => {
    const other = await createTestDatabase(t);
    await assert.rejects(prepare(await start('transaction'), other.connectionString), {
      message: /^DATABASE_URL and DATABASE_DIRECT_URL differ in their database:/,
    });
  });

  it('prepared statements that the pooler mixes up: the start names both settings', async () => {
    // PgBouncer before 1.21, and later ones without max_prepared_statements.
    const connectionString = await start('transaction', 1);
    await assert.rejects(prepare(connectionString, database.connectionString, true), {
      message: /max_prepared_statements .* DATABASE_PREPARED_STATEMENTS=off/,
    });
  });

  it('session mode: prepared statements work', async () => {
    await prepare(await start('session'), database.connectionString, true);
  });
});

describe('a gateway behind PgBouncer in transaction mode', { skip }, () => {
  let gateway: Gateway;
  let pooler: PgBouncer;
  before(async () => {
    gateway = await startGateway({
      async reachDatabase(connectionString) {
        pooler = await startPgBouncer(connectionString, { poolMode: 'transaction', poolSize: 4 });
        await preparePooler({
          connectionString: pooler.url,
          directUrl: connectionString,
          preparesStatements: false,
          log,
        });
        return pooler.url;
      },
      isBehindPooler: true,
    });
  });
  after(async () => {
    await gateway.stop();
    await pooler.stop();
  });

  it('messages of two tenants: sent, delivered and read', async () => {
    const tenants = [await createTenant(gateway), await createTenant(gateway)];
    await Promise.all(
      tenants.flatMap((tenant) =>
        Array.from({ length: 20 }, async () => {
          const id = await sendTemplate(gateway, tenant, freshRecipient());
          await untilStatus(gateway, tenant, id, 'read');
        }),
      ),
    );
  });
});
