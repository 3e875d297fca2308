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

test('message withheld at the last moment → never leaves, connection stays usable', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted), {
    connectionsMax: 1,
  });
  assert.deepEqual(await send(upstream, { mayWrite: () => false }), { kind: 'unsent', reason: 'withheld' });
  assert.equal((await send(upstream, { mayWrite: () => true })).kind, 'accepted');
  assert.equal(received.length, 1);
});

test('message: reported as written once a connection has all of it', async (t) => {
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

test('connection refused → unsent', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  const { upstream, logged } = startUpstream(t, { baseUrl: `http://127.0.0.1:${address.port}` });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'connect' });
  // Names no message or number, so that every line is the same while the outage lasts.
  assert.deepEqual(logged, ['{"reason":"connect","cause":"ECONNREFUSED"}']);
});

test('host does not resolve → unsent', async (t) => {
  const { upstream } = startUpstream(t, { baseUrl: 'http://platform.invalid/v24.0' });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'dns' });
});

test('TLS handshake fails → unsent', async (t) => {
  // Without a certificate the handshake cannot succeed.
  const server = createTlsServer().listen(0, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const { upstream } = startUpstream(t, { baseUrl: `https://127.0.0.1:${address.port}` });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'tls' });
});

test('TLS handshake never ends → unsent after the timeout', async (t) => {
  const { origin } = await startRawPeer(t, () => {});
  const { upstream } = startUpstream(t, { baseUrl: origin.replace('http:', 'https:') });
  assert.deepEqual(await send(upstream, { timeoutMs: 50 }), { kind: 'unsent', reason: 'timeout' });
});

test('message times out waiting for a connection → unsent, and never sent later', async (t) => {
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

test('platform reads the message and never answers → unknown after the timeout', async (t) => {
  const { upstream, received } = await startPeer(t, () => {});
  assert.deepEqual(await send(upstream, { timeoutMs: 300 }), { kind: 'unknown', reason: 'timeout' });
  assert.equal(received.length, 1);
});

test('answer body never ends → unknown after the timeout', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"messages"');
  });
  assert.deepEqual(await send(upstream, { timeoutMs: 300 }), { kind: 'unknown', reason: 'timeout' });
});

test('slow answer within the timeout → accepted', async (t) => {
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
  test(`connection ${what} → outcome unknown`, async (t) => {
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

test('refused status line, rest of the answer lost → still refused', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    onRequests(socket, () => socket.end('HTTP/1.1 400 Bad\r\ncontent-length: 99\r\n\r\n{"error"'));
  });
  assert.equal((await send(upstream)).kind, 'unavailable');
});

test('interim 1xx answer → not taken for the answer', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    onRequests(socket, () => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${acceptedBytes}`));
  });
  assert.equal((await send(upstream)).kind, 'accepted');
});

test('kept connection breaks on the next message → unknown, not replayed', async (t) => {
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

test('connections closed while idle: next message opens a new one', async (t) => {
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

test('close race: every message received at most once, only received ones may be unknown', async (t) => {
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
        // Closes without a `Connection: close` header, while the next message may be in transit.
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

test('close: messages in flight end, new ones are refused', async (t) => {
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

test('close: after the grace, written messages are unknown, waiting ones unsent', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const { upstream } = await startPeer(t, () => resolve(), { connectionsMax: 1 });
  const written = send(upstream);
  const waiting = send(upstream);
  await arrived;
  await upstream.close(10);
  assert.deepEqual(await written, { kind: 'unknown', reason: 'closed' });
  assert.deepEqual(await waiting, { kind: 'unsent', reason: 'closed' });
});
