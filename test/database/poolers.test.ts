import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';

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
    message: /^PostgreSQL cannot be used: unsupported startup parameter: options\. DATABASE_URL must lead past poolers/,
  });
});

test('a pooler that drops session settings: detected before any work starts', async (t) => {
  const connectionString = await behindPooler(t, ignoreOptions);
  await assert.rejects(migrate({ connectionString, log }), {
    message: /^Session settings get lost on the way to PostgreSQL: DATABASE_URL must lead past poolers/,
  });
});
