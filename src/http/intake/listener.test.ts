import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Listener } from './listener.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('overload: crowd arrives → refused over several turns, others served meanwhile', async () => {
  const answered: number[] = [];
  let served = 0;
  let shedding = true;
  const listener = new Listener({ newRequestId: () => 'r-1', sheds: () => shedding });
  const server = listener.createServer(() => {
    served += 1;
  });
  const arrive = () => {
    const request = { url: '/v1/1/messages', socket: new Socket() } as IncomingMessage;
    const writeHead = (status: number) => answered.push(status);
    const response = { on: () => {}, prependListener: () => {}, writeHead, end: () => {} };
    server.emit('request', request, response as unknown as ServerResponse);
  };
  for (let count = 0; count < 1000; count += 1) arrive();
  assert.equal(answered.length, 0);
  await turn();
  assert.ok(answered.length > 0 && answered.length < 1000, `${answered.length} in the first turn`);
  shedding = false;
  arrive();
  assert.equal(served, 1);
  while (answered.length < 1000) await turn();
  assert.deepEqual([...new Set(answered)], [503]);
  await turn();
  assert.equal(answered.length, 1000, 'each is answered once');
});

interface Served {
  url: string | undefined;
  answer: () => void;
}

/** Opens a server that reports each request it starts to serve, and a connection to it on which nothing is read yet. */
async function openServer(t: TestContext) {
  const arrived: Served[] = [];
  const listener = new Listener({ newRequestId: () => 'r-1' });
  const server = listener.createServer((request, response) => {
    const answer = () => void response.end(request.url);
    arrived.push({ url: request.url, answer });
    server.emit('served');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {}).pause();
  t.after(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  return { listener, server, arrived, socket };
}

const requestsTo = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`).join('');

test('pipelined requests: one connection → served one by one, each after the last answer', async (t) => {
  const { server, arrived, socket } = await openServer(t);
  socket.write(requestsTo(10));
  for (let count = 1; count <= 10; count += 1) {
    if (arrived.length < count) await once(server, 'served');
    await turn();
    assert.equal(arrived.length, count);
    arrived.at(-1)?.answer();
  }
  assert.deepEqual(
    arrived.map(({ url }) => url),
    Array.from({ length: 10 }, (_, index) => `/${index}`),
  );
});

test('pipelined requests: too many without an answer → disconnected, none served any more', async (t) => {
  const { arrived, socket } = await openServer(t);
  socket.write(requestsTo(1_000));
  socket.resume();
  await once(socket, 'close');
  assert.equal(arrived.length, 1);
});

test('pipelined requests: earlier one ends the connection → the next ones are not served', async (t) => {
  const { server, arrived, socket } = await openServer(t);
  socket.write(`GET /0 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n${requestsTo(3)}`);
  await once(server, 'served');
  arrived[0]?.answer();
  socket.resume();
  await once(socket, 'close');
  assert.equal(arrived.length, 1);
});

test('shutdown: request in progress → its connection ends with the answer', {
  timeout: 10_000,
}, async (t) => {
  const { listener, server, arrived, socket } = await openServer(t);
  socket.write(requestsTo(1));
  await once(server, 'served');
  listener.takeLeave();
  arrived[0]?.answer();
  socket.resume();
  await once(socket, 'close');
});

/**
 * Opens a crowded server, which reads at most `crowd.room` further requests, and a function that sends requests one by one on
 * connections.
 */
async function openCrowdedServer(t: TestContext) {
  const crowd = { room: 0 };
  const listener = new Listener({
    newRequestId: () => 'r-1',
    gathering: () => 128 - crowd.room,
    sheds: (isLate) => isLate,
  });
  const served: string[] = [];
  const server = listener.createServer((request, response) => {
    served.push(request.url ?? '');
    response.end(request.url);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  /** Sends a request on a connection, a new one unless given; resolves with the first data that comes back. */
  const ask = async (url: string, socket = connect(port, '127.0.0.1').setEncoding('latin1')) => {
    socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [string];
    return { socket, answer };
  };
  return { crowd, listener, served, ask };
}

test('crowd: known connections → served in turn; new ones and health checks → at once', {
  timeout: 10_000,
}, async (t) => {
  const { crowd, listener, served, ask } = await openCrowdedServer(t);
  const health = await ask('/healthz');
  const [first, second] = [await ask('/1'), await ask('/2')];
  assert.equal(listener.unread, 2);
  const later = [ask('/3', second.socket), ask('/4', first.socket)];
  await ask('/healthz', health.socket);
  await ask('/5');
  assert.deepEqual(served, ['/healthz', '/1', '/2', '/healthz', '/5']);
  crowd.room = 1;
  await Promise.all(later);
  assert.deepEqual(served.slice(-2), ['/4', '/3']);
});

test('crowd: first in line waits two seconds → newcomers refused, the line is served', {
  timeout: 10_000,
}, async (t) => {
  const { crowd, served, ask } = await openCrowdedServer(t);
  const { now } = performance;
  const [first, second] = [await ask('/1'), await ask('/2')];
  const later = [ask('/3', first.socket), ask('/4', second.socket)];
  t.mock.method(performance, 'now', () => now.call(performance) + 2_000);
  const late = await ask('/5');
  assert.match(late.answer, /^HTTP\/1\.1 503 /);
  assert.match((await ask('/6', late.socket)).answer, /^HTTP\/1\.1 503 /, 'and read on at once');
  crowd.room = 1;
  for (const { answer } of await Promise.all(later)) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.deepEqual(served, ['/1', '/2', '/3', '/4']);
});

test('shutdown: connections wait in line → their requests are served as the last ones', {
  timeout: 10_000,
}, async (t) => {
  const { listener, ask } = await openCrowdedServer(t);
  const { socket } = await ask('/1');
  const later = ask('/2', socket);
  await ask('/3');
  listener.takeLeave();
  assert.match((await later).answer, /^HTTP\/1\.1 200 .*connection: close/is);
});

test('crowd: 900 connections send at once → only some read at a time, all served', {
  timeout: 10_000,
}, async (t) => {
  const listener = new Listener({ newRequestId: () => 'r-1' });
  let waitingMax = 0;
  const server = listener.createServer((_, response) => {
    listener.turns.add(() => response.end('done'));
    waitingMax = Math.max(waitingMax, listener.turns.length);
  });
  let connected = 0;
  server.on('connection', () => {
    connected += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const sockets = await Promise.all(
    Array.from({ length: 900 }, async () => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  while (connected < sockets.length) await turn();
  const answers = Promise.all(sockets.map((socket) => once(socket, 'data')));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  for (const [answer] of await answers) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.ok(waitingMax < 300, `${waitingMax} were read before they could be served`);
});
