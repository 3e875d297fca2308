import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

/** A database behind two addresses that can be cut, and a pool that knows both. */
async function openBehindTwo(t: TestContext) {
  const { connectionString } = await createTestDatabase(t);
  const { hostname, port, username, password, pathname } = new URL(connectionString);
  const open = async () => {
    const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    t.after(() => proxy.close());
    return proxy;
  };
  const [first, second] = [await open(), await open()];
  const hosts = [first, second].map((proxy) => `127.0.0.1:${proxy.port}`).join();
  const url = `postgres://${username}:${password}@${hosts}${pathname}?sslmode=disable&target_session_attrs=read-write`;
  const db = openDatabase({ connectionString: url, connectionsMax: 2, onIdleError() {} });
  t.after(() => db.close());
  return { db, first, second };
}

const SELECT = { text: 'SELECT 1 AS one' };

test('several servers: the first is down → the statement runs on the next', async (t) => {
  const { db, first } = await openBehindTwo(t);
  await first.cut();
  assert.deepEqual(await db.query(SELECT), [{ one: 1 }]);
});

test('several servers: the present one goes away → statements follow, and return', async (t) => {
  const { db, first, second } = await openBehindTwo(t);
  await second.cut();
  assert.deepEqual(await db.query(SELECT), [{ one: 1 }]);
  await second.mend();
  await first.cut();
  // Statements on connections that are not known to be broken fail once each.
  await Promise.allSettled([db.query(SELECT), db.query(SELECT)]);
  assert.deepEqual(await db.query(SELECT), [{ one: 1 }]);
  await first.mend();
  await second.cut();
  await Promise.allSettled([db.query(SELECT), db.query(SELECT)]);
  assert.deepEqual(await Promise.all([db.query(SELECT), db.query(SELECT)]), [[{ one: 1 }], [{ one: 1 }]]);
});

test('several servers: none is up → the reason of the last one', async () => {
  const ports = [await findFreePort(), await findFreePort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  const db = openDatabase({ connectionString: `postgres://u@${hosts}/db?sslmode=disable`, onIdleError() {} });
  await assert.rejects(db.query(SELECT), { code: 'ECONNREFUSED', port: ports[1] });
  await db.close();
});

/** The first message of a client that asks for TLS. */
const TLS_REQUEST = Buffer.from('0000000804d2162f', 'hex');

test('a server without TLS that is starting: its own reason is given, not the lack of TLS', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const { hostname, port } = new URL(connectionString);
  const fatal = 'SFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(fatal.length + 4);
  let isStarting = false;
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    if (!isStarting) {
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => {});
      socket.pipe(upstream).pipe(socket);
      return;
    }
    socket.on('data', (data) => {
      if (data.equals(TLS_REQUEST)) socket.write('N');
      else socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fatal)]));
    });
  }).listen(0, '127.0.0.1');
  t.after(async () => void proxy.close());
  await once(proxy, 'listening');
  const url = new URL(connectionString);
  url.port = String((proxy.address() as AddressInfo).port);
  url.search = '';
  const db = openDatabase({ connectionString: url.href, connectionsMax: 2, onIdleError() {} });
  t.after(() => db.close());
  assert.deepEqual(await db.query(SELECT), [{ one: 1 }]);
  isStarting = true;
  // The connection of the statement above is in use, so that this one needs another.
  await db.transaction(async (tx) => {
    await tx.query(SELECT);
    await assert.rejects(db.query(SELECT), { code: '57P03' });
  });
});
