import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import {
  accepted,
  acceptedBytes,
  onRequests,
  reply,
  send,
  startPeer,
  startRawPeer,
  startUpstream,
} from '../../test/support/upstream-peer.ts';

test('a message withheld at the last moment never leaves, and the connection stays good', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted), {
    connectionsMax: 1,
  });
  assert.deepEqual(await send(upstream, { mayWrite: () => false }), { kind: 'unsent', reason: 'withheld' });
  assert.equal((await send(upstream, { mayWrite: () => true })).kind, 'accepted');
  assert.equal(received.length, 1);
});

test('a message is told to be written once a connection has all of it', async (t) => {
  const told: string[] = [];
  const { upstream } = await startPeer(t, (_request, response) => {
    told.push('arrived');
    reply(response, 200, accepted);
  });
  const wrote = () => void told.push('written');
  assert.equal((await send(upstream, { mayWrite: () => told.push('asked') > 0, wrote })).kind, 'accepted');
  assert.equal((await send(upstream, { mayWrite: () => false, wrote })).kind, 'unsent');
  assert.deepEqual(told, ['asked', 'written', 'arrived']);
});

test('a refused connection leaves the message unsent', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  const { upstream, logged } = startUpstream(t, { baseUrl: `http://127.0.0.1:${address.port}` });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'connect' });
  // Of no message or number: while it lasts, every line is the same.
  assert.deepEqual(logged, ['{"reason":"connect","cause":"ECONNREFUSED"}']);
});

test('a host that does not resolve leaves the message unsent', async (t) => {
  const { upstream } = startUpstream(t, { baseUrl: 'http://platform.invalid/v24.0' });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'dns' });
});

test('a failed TLS handshake leaves the message unsent', async (t) => {
  // No certificate: the handshake cannot succeed.
  const server = createTlsServer().listen(0, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const { upstream } = startUpstream(t, { baseUrl: `https://127.0.0.1:${address.port}` });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'tls' });
});

test('a handshake that never ends leaves the message unsent when its time is up', async (t) => {
  const { origin } = await startRawPeer(t, () => {});
  const { upstream } = startUpstream(t, { baseUrl: origin.replace('http:', 'https:') });
  assert.deepEqual(await send(upstream, { timeoutMs: 50 }), { kind: 'unsent', reason: 'timeout' });
});

test('a message that waits for a connection until its time is up is unsent and stays so', async (t) => {
  const held: (() => void)[] = [];
  const { upstream, received } = await startPeer(
    t,
    (_request, response) => void held.push(() => reply(response, 200, accepted)),
    { connectionsMax: 1 },
  );
  const first = send(upstream);
  const second = await send(upstream, { timeoutMs: 50, body: '"late"' });
  assert.deepEqual(second, { kind: 'unsent', reason: 'timeout' });
  while (held.length === 0) await new Promise(setImmediate);
  held.shift()?.();
  assert.equal((await first).kind, 'accepted');
  const third = send(upstream, { body: '"third"' });
  while (held.length === 0) await new Promise(setImmediate);
  held.shift()?.();
  assert.equal((await third).kind, 'accepted');
  assert.deepEqual(
    received.map(({ body }) => body.toString()),
    ['{"to":"+491701"}', '"third"'],
  );
});

test('a platform that takes the message and never answers leaves the outcome unknown when time is up', async (t) => {
  const { upstream, received } = await startPeer(t, () => {});
  assert.deepEqual(await send(upstream, { timeoutMs: 300 }), { kind: 'unknown', reason: 'timeout' });
  assert.equal(received.length, 1);
});

test('an answer whose body never ends leaves the outcome unknown when time is up', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"messages"');
  });
  assert.deepEqual(await send(upstream, { timeoutMs: 300 }), { kind: 'unknown', reason: 'timeout' });
});

test('a slow answer inside the time is an answer', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    onRequests(socket, async () => {
      for (const character of acceptedBytes) {
        socket.write(character);
        await new Promise(setImmediate);
      }
    });
  });
  assert.equal((await send(upstream)).kind, 'accepted');
});

const breaks: [string, (socket: Socket) => void][] = [
  ['reset after the request', (socket) => onRequests(socket, () => socket.resetAndDestroy())],
  ['reset after the first bytes of the request', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
  ['closed after the request', (socket) => onRequests(socket, () => socket.end())],
  ['closed after half a status line', (socket) => onRequests(socket, () => socket.end('HTTP/1.1 20'))],
  ['closed within the headers', (socket) => onRequests(socket, () => socket.end('HTTP/1.1 200 OK\r\ncontent-le'))],
  ['closed within the body', (socket) => onRequests(socket, () => socket.end(acceptedBytes.slice(0, -5)))],
  [
    'reset within a 500',
    (socket) => onRequests(socket, () => socket.end('HTTP/1.1 500 E\r\ncontent-length: 9\r\n\r\n{')),
  ],
  ['answered in no HTTP', (socket) => onRequests(socket, () => socket.end('+OK POP3 ready\r\n\r\n'))],
  [
    'answered with endless headers',
    (socket) => onRequests(socket, () => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)),
  ],
];
for (const [what, talk] of breaks) {
  test(`a connection ${what} leaves the outcome unknown`, async (t) => {
    let connections = 0;
    const { upstream } = await startRawPeer(t, (socket) => {
      connections++;
      talk(socket);
    });
    const body = JSON.stringify({ to: '+491701', text: { body: 'x'.repeat(500_000) } });
    assert.deepEqual(await send(upstream, { body }), { kind: 'unknown', reason: 'connection_lost' });
    assert.equal(connections, 1, 'the message was not replayed');
  });
}

test('a refusal stands although the rest of the answer was lost', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    onRequests(socket, () => socket.end('HTTP/1.1 400 Bad\r\ncontent-length: 99\r\n\r\n{"error"'));
  });
  assert.equal((await send(upstream)).kind, 'unavailable');
});

test('an interim 1xx answer is not taken for the answer', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    onRequests(socket, () => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${acceptedBytes}`));
  });
  assert.equal((await send(upstream)).kind, 'accepted');
});

test('a kept connection that breaks on the next message leaves that outcome unknown and is not replayed', async (t) => {
  let requests = 0;
  const { upstream } = await startRawPeer(
    t,
    (socket) => {
      onRequests(socket, () => {
        requests++;
        if (requests === 2) socket.resetAndDestroy();
        else socket.write(acceptedBytes);
      });
    },
    { connectionsMax: 1 },
  );
  assert.equal((await send(upstream)).kind, 'accepted');
  assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'connection_lost' });
  assert.equal((await send(upstream)).kind, 'accepted');
  assert.equal(requests, 3);
});

test('connections closed while idle cost nothing: the next message takes a new one', async (t) => {
  let connections = 0;
  const closed: Promise<unknown>[] = [];
  const { upstream } = await startRawPeer(
    t,
    (socket) => {
      connections++;
      closed.push(once(socket, 'close'));
      onRequests(socket, () => socket.end(acceptedBytes));
    },
    { connectionsMax: 1 },
  );
  for (let round = 1; round <= 3; round++) {
    assert.equal((await send(upstream)).kind, 'accepted');
    await Promise.all(closed);
    assert.equal(connections, round);
  }
});

test('under a close race every message is received at most once, and only received ones may be unknown', async (t) => {
  const receipts = new Map<string, number>();
  const { upstream } = await startRawPeer(
    t,
    (socket) => {
      let served = 0;
      onRequests(socket, (text) => {
        const id = text.slice(text.indexOf('\r\n\r\n') + 4);
        receipts.set(id, (receipts.get(id) ?? 0) + 1);
        served++;
        socket.write(acceptedBytes);
        // Without a `Connection: close` to announce it, and at a moment the next message may be on its way.
        if (served % 3 === 0) setImmediate(() => socket.resetAndDestroy());
      });
    },
    { connectionsMax: 4 },
  );
  const ids = Array.from({ length: 300 }, (_, index) => `"${index}"`);
  const outcomes = await Promise.all(ids.map((body) => send(upstream, { body })));
  for (const [index, outcome] of outcomes.entries()) {
    const times = receipts.get(`"${index}"`) ?? 0;
    assert.ok(times <= 1, `message ${index} was received ${times} times`);
    if (outcome.kind === 'accepted') assert.equal(times, 1);
    else assert.ok(outcome.kind === 'unknown' || times === 0, `message ${index}: ${JSON.stringify(outcome)}`);
  }
});

test('closing lets messages in flight end and refuses new ones', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<() => void>();
  const { upstream } = await startPeer(t, (_request, response) => resolve(() => reply(response, 200, accepted)));
  const inFlight = send(upstream);
  const answer = await arrived;
  const closed = upstream.close();
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'closed' });
  answer();
  assert.equal((await inFlight).kind, 'accepted');
  await closed;
});

test('closing cuts off what outlasts the grace: written messages are unknown, waiting ones unsent', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const { upstream } = await startPeer(t, () => resolve(), { connectionsMax: 1 });
  const written = send(upstream);
  const waiting = send(upstream);
  await arrived;
  await upstream.close(10);
  assert.deepEqual(await written, { kind: 'unknown', reason: 'closed' });
  assert.deepEqual(await waiting, { kind: 'unsent', reason: 'closed' });
});
