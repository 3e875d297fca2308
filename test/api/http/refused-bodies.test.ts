import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../../src/core/errors.ts';
import { ByteBudget } from '../../../src/core/limits/byte-budget.ts';
import type { HttpServer } from '../../../src/http/index.ts';
import { createBareServer } from '../../harness/bare-server.ts';
import { exchangeRaw } from '../../harness/raw-http.ts';
import { until } from '../../harness/tenant.ts';

const MIB = 1024 * 1024;
const REFUSALS = [
  { status: '413', bodyBytes: 8 * MIB, roomBytes: 64 * MIB },
  { status: '503', bodyBytes: MIB, roomBytes: MIB },
];
const LAST = 'GET /v1/echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

async function openServer(t: TestContext, options: Parameters<typeof createBareServer>[0] = {}) {
  const app = await createBareServer(options);
  app.post('/v1/echo', async () => ({}));
  app.get('/v1/echo', async () => ({}));
  const refuse = async () => Promise.reject(new AppError('UNAUTHORIZED', 'No.'));
  app.post('/v1/locked', { onRequest: refuse }, async () => ({}));
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, baseUrl: `http://127.0.0.1:${port}` };
}

const postOf = (bytes: number, path = '/v1/echo', ...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${bytes}`, ...lines, '', 'x'.repeat(bytes)].join('\r\n');

/** Returns the status of each answer and its connection header. */
const answersIn = (text: string) => text.toLowerCase().match(/(?<=http\/1\.1 )\d+|^connection: [^\r]+/gm);

for (const { status, bodyBytes, roomBytes } of REFUSALS) {
  test(`the rest of a body refused with ${status}: read, and its connection stays open`, async (t) => {
    const text = await exchangeRaw(
      await openServer(t, { bodies: new ByteBudget(roomBytes) }),
      postOf(bodyBytes) + LAST,
    );
    assert.deepEqual(answersIn(text), [status, 'connection: keep-alive', '200', 'connection: close']);
  });

  test(`a body refused with ${status} by a draining server: the client is asked to close`, async (t) => {
    const server = await openServer(t, { bodies: new ByteBudget(roomBytes) });
    server.app.listener.takeLeave();
    const text = await exchangeRaw(server, postOf(bodyBytes) + LAST);
    assert.deepEqual(answersIn(text), [status, 'connection: close']);
  });
}

for (const [status, path, sheds] of [
  ['401', '/v1/locked', false],
  ['413', '/v1/echo', false],
  ['503', '/v1/echo', true],
] as const) {
  test(`a client that sends everything first and asks to close: receives its ${status}`, async (t) => {
    const server = await openServer(t, { sheds: () => sheds });
    const text = await exchangeRaw(server, postOf(8 * MIB, path, 'connection: close'));
    assert.deepEqual(answersIn(text), [status, 'connection: close']);
  });
}

test('a body: keeps its room until its work is done, even if its client has left', async (t) => {
  const bodies = new ByteBudget(64 * MIB);
  const app = await createBareServer({ bodies });
  t.after(() => app.close());
  const [begun, ending] = [Promise.withResolvers<Socket>(), Promise.withResolvers<void>()];
  app.post('/v1/work', async (request) => {
    begun.resolve(request.raw.socket);
    await ending.promise;
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1' });
  client.on('error', () => {}).resume();
  client.write(postOf(MIB / 2, '/v1/work'));
  const served = await begun.promise;
  const gone = once(served, 'close');
  client.destroy();
  await gone;
  await turn();
  assert.ok(bodies.bytes >= MIB / 2, String(bodies.bytes));
  ending.resolve();
  await until('the room is given back', () => bodies.bytes === 0 || undefined);
});

/** Opens a connection of a client that has sent `request`, or part of it, and has ended its side without closing. */
async function openAnswered(t: TestContext, port: number, request: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  t.after(() => socket.destroy());
  socket.write(request);
  await once(socket, 'end');
  return socket;
}

const refusedPart = postOf(2 * MIB, '/v1/echo', 'connection: close').slice(0, -MIB);
const untilGone = (app: HttpServer) =>
  until('the connection is gone', async () => ((await countConnections(app)) === 0 ? true : undefined));

test('the connection of a refused body: ends with its last byte, whoever closes first', async (t) => {
  const { app, port } = await openServer(t);
  const socket = await openAnswered(t, port, refusedPart);
  assert.equal(await countConnections(app), 1);
  socket.write('x'.repeat(MIB));
  await untilGone(app);
});

test('the connection of a complete request: ends with its answer, whoever closes first', async (t) => {
  const { app, port } = await openServer(t);
  await openAnswered(t, port, postOf(10, '/v1/echo', 'connection: close'));
  await untilGone(app);
});

test('the slow rest of a refused body: cut off at the time limit of a request', async (t) => {
  const { app, port } = await openServer(t, { requestTimeoutMs: 300 });
  const socket = await openAnswered(t, port, refusedPart);
  const sending = setInterval(() => socket.write('x'), 50);
  t.after(() => clearInterval(sending));
  await untilGone(app);
});

for (const connection of ['keep-alive', 'close']) {
  test(`an endless refused body: cut off (connection: ${connection})`, async (t) => {
    const { app, port } = await openServer(t);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    t.after(() => socket.destroy());
    socket.write(
      `POST /v1/locked HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000000\r\nconnection: ${connection}\r\n\r\n`,
    );
    const chunk = Buffer.alloc(MIB, 'x');
    const send = () => {
      while (!socket.destroyed && socket.write(chunk)) {
        // until the other side has to read first
      }
    };
    socket.on('drain', send);
    send();
    await new Promise((resolve) => socket.once('close', resolve));
    assert.ok(socket.bytesWritten < 512 * MIB, `${socket.bytesWritten / MIB} MiB were taken`);
    await untilGone(app);
  });
}

function countConnections({ server }: HttpServer): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
