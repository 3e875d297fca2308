import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { SendOutcome } from './send-outcome.ts';
import { onRequests, reply, startPeer, startRawPeer, startUpstream, token } from './test-peer.ts';
import type { Upstream } from './upstream.ts';

const wamid = 'wamid.QUJDREVGRw==';
const accepted = { contacts: [{ input: '+491701', wa_id: '491701' }], messages: [{ id: wamid }] };
const acceptedText = JSON.stringify(accepted);
const acceptedBytes = `HTTP/1.1 200 OK\r\ncontent-length: ${acceptedText.length}\r\n\r\n${acceptedText}`;

function send(upstream: Upstream, extra: object = {}): Promise<SendOutcome> {
  return upstream.sendMessage({ phoneNumberId: '777', token, body: '{"to":"+491701"}', ...extra });
}

test('a taken message gives its wamid, and the body went out byte for byte', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  const body = '{ "to" : "+491701", "n": 12345678901234567890, "s":"\\u00e9é" }';
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  assert.deepEqual(await send(upstream, { body, traceparent }), {
    kind: 'accepted',
    wamid,
    waId: '491701',
    messageStatus: null,
    usage: null,
  });
  const [request] = received;
  assert.equal(request?.method, 'POST');
  assert.equal(request?.url, '/v24.0/777/messages');
  assert.equal(request?.body.toString(), body);
  assert.equal(request?.headers.authorization, `Bearer ${token}`);
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.equal(request?.headers.traceparent, traceparent);
});

test('a Buffer goes out as it is, and a malformed trace context does not go out at all', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  const body = Buffer.from('{"to":"+491701","text":{"body":"ü\u{1f600}"}}');
  await send(upstream, { body, traceparent: 'x\r\nevil: 1' });
  assert.deepEqual(received[0]?.body, body);
  assert.equal(received[0]?.headers.traceparent, undefined);
});

test('a template send tells its pacing state, and a recipient known by user id has no wa_id', async (t) => {
  const answer = { contacts: [{ user_id: 'US.1' }], messages: [{ id: wamid, message_status: 'accepted' }] };
  const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, answer));
  const outcome = await send(upstream);
  assert.ok(outcome.kind === 'accepted');
  assert.equal(outcome.waId, null);
  assert.equal(outcome.messageStatus, 'accepted');
});

test('usage headers come back as a hint with the fullest budget', async (t) => {
  const usage = { 'X-App-Usage': '{"call_count":28,"total_time":25,"total_cputime":91}' };
  const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, accepted, usage));
  const outcome = await send(upstream);
  assert.ok(outcome.kind === 'accepted');
  assert.deepEqual(outcome.usage, { percentMax: 91, regainMs: 0 });
});

const unreadable: [string, string][] = [
  ['without a wamid', '{"messages":[{}]}'],
  ['with an empty list', '{"messages":[]}'],
  ['with a wamid that is no text', '{"messages":[{"id":{"a":1}}]}'],
  ['with a wamid no database could store', '{"messages":[{"id":"wamid.\\u0000"}]}'],
  ['with the wamid on a prototype', '{"messages":[{"__proto__":{"id":"wamid.x"}}]}'],
  ['that is an array', '[]'],
  ['that is truncated', '{"messages":[{"id":"wam'],
  ['that is HTML', '<html>ok</html>'],
  ['that is empty', ''],
  ['that carries an error', '{"error":{"code":131000,"message":"x"}}'],
];
for (const [what, body] of unreadable) {
  test(`a 2xx answer ${what} leaves the outcome unknown`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => response.writeHead(200).end(body));
    assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'unreadable_answer' });
  });
}

const serverFailures: [string, number, string][] = [
  ['HTML 502', 502, '<html>Bad gateway</html>'],
  ['an empty 500', 500, ''],
  ['an empty 503', 503, ''],
  ['a 504 in some JSON of a proxy', 504, '{"error":{"message":"upstream timed out"}}'],
  ['a 500 with an error that is text', 500, '{"error":"boom"}'],
  ['a truncated JSON 500', 500, '{"error":{"code":13100'],
];
for (const [what, status, body] of serverFailures) {
  test(`${what} leaves the outcome unknown`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => response.writeHead(status).end(body));
    assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'server_error' });
  });
}

for (const status of [301, 307, 400, 403, 404, 413]) {
  test(`HTTP ${status} without an error of the platform refuses this attempt only and is not followed`, async (t) => {
    const { upstream, received } = await startPeer(t, (_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('<html>no</html>');
    });
    const outcome = await send(upstream);
    assert.equal(outcome.kind, 'unavailable');
    assert.equal(received.length, 1);
  });
}

test('HTTP 429 of a box in between slows the number down for as long as it asks', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end();
  });
  assert.deepEqual(await send(upstream), {
    kind: 'throttled',
    scope: 'number',
    retryAfterMs: 7_000,
    code: '429',
    usage: null,
  });
});

test('an answer beyond 1 MiB is cut off and leaves the outcome unknown', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    response.on('error', () => {});
    response.writeHead(200).end(`{"messages":[{"id":"${wamid}"}],"x":"${'x'.repeat(1024 * 1024)}"}`);
  });
  assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'oversize_answer' });
});

const platformErrors: [string, number, object, Partial<SendOutcome>][] = [
  ['a dead token', 401, { code: 190, message: 'Expired' }, { kind: 'blocked', scope: 'credential', code: '190' }],
  ['a missing permission under HTTP 500', 500, { code: 3 }, { kind: 'blocked', scope: 'credential', code: '3' }],
  ['a locked account', 403, { code: 131031 }, { kind: 'blocked', scope: 'waba', code: '131031' }],
  ['an unregistered number', 400, { code: 133010 }, { kind: 'blocked', scope: 'number', code: '133010' }],
  ['a throughput limit under HTTP 400', 400, { code: 130429 }, { kind: 'throttled', scope: 'number' }],
  ['a pair limit', 400, { code: 131056 }, { kind: 'throttled', scope: 'pair' }],
  ['a business account limit', 400, { code: 80007 }, { kind: 'throttled', scope: 'waba' }],
  ['an app limit called transient', 400, { code: 4, is_transient: true }, { kind: 'throttled', scope: 'app' }],
  ['a number in maintenance', 500, { code: 131057 }, { kind: 'throttled', scope: 'number', retryAfterMs: 60_000 }],
  ['a passing failure', 500, { code: 131000, message: 'm' }, { kind: 'unavailable', code: '131000', reason: 'm' }],
  ['an unknown code under HTTP 500', 500, { code: 987654 }, { kind: 'unavailable', code: '987654' }],
  ['an unknown code under HTTP 400', 400, { code: 987654 }, { kind: 'rejected', class: 'PERMANENT' }],
  ['a bad parameter', 400, { code: 131009 }, { kind: 'rejected', class: 'PERMANENT', code: '131009' }],
  ['a missing template under HTTP 404', 404, { code: 132001 }, { kind: 'rejected', class: 'PERMANENT' }],
  ['a paused template', 400, { code: 132015 }, { kind: 'rejected', class: 'TEMPLATE' }],
  ['an opted-out recipient', 400, { code: 131050 }, { kind: 'rejected', class: 'RECIPIENT' }],
  ['a blocked feature of the account', 400, { code: 139200 }, { kind: 'rejected', class: 'ACCOUNT' }],
];
for (const [what, status, error, expected] of platformErrors) {
  test(`${what} becomes ${expected.kind}`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => reply(response, status, { error }));
    assert.partialDeepStrictEqual(await send(upstream), expected);
  });
}

test('a throttled budget is waited for as long as the usage header says', async (t) => {
  const budget = [{ type: 'whatsapp', call_count: 100, estimated_time_to_regain_access: 3 }];
  const { upstream } = await startPeer(t, (_request, response) => {
    const usage = { 'X-Business-Use-Case-Usage': JSON.stringify({ 123: budget }) };
    reply(response, 400, { error: { code: 80007 } }, usage);
  });
  assert.partialDeepStrictEqual(await send(upstream), { retryAfterMs: 180_000, usage: { percentMax: 100 } });
});

test('a rejection carries the upstream error in full, without the token it quotes', async (t) => {
  const error = { code: 100, message: `Bad ${token}`, error_data: { details: 'd' }, error_user_title: 't' };
  const { upstream, logged } = await startPeer(t, (_request, response) => reply(response, 400, { error }));
  assert.deepEqual(await send(upstream), {
    kind: 'rejected',
    code: '100',
    message: 'd',
    provider: { code: 100, error_user_title: 't', error_user_msg: 'd' },
    class: 'PERMANENT',
  });
  assert.equal(logged.length, 1);
  assert.doesNotMatch(logged.join(), new RegExp(token));
});

for (const bad of ['', 'a b', 'a\r\nx-evil: 1', 'ü']) {
  test(`the token ${JSON.stringify(bad)} blocks its credential and nothing is sent`, async (t) => {
    const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
    assert.partialDeepStrictEqual(await send(upstream, { token: bad }), { kind: 'blocked', scope: 'credential' });
    assert.equal(received.length, 0);
  });
}

test('a number id cannot lead the request elsewhere', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  await send(upstream, { phoneNumberId: '../1/x?y#z' });
  assert.equal(received[0]?.url, '/v24.0/..%2F1%2Fx%3Fy%23z/messages');
});

test('a message withheld at the last moment never leaves, and the connection stays good', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted), {
    connectionsMax: 1,
  });
  assert.deepEqual(await send(upstream, { mayWrite: () => false }), { kind: 'unsent', reason: 'withheld' });
  assert.equal((await send(upstream, { mayWrite: () => true })).kind, 'accepted');
  assert.equal(received.length, 1);
});

test('a refused connection leaves the message unsent', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  const { upstream } = startUpstream(t, { baseUrl: `http://127.0.0.1:${address.port}` });
  assert.deepEqual(await send(upstream), { kind: 'unsent', reason: 'connect' });
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

test('the proof of the app secret is sent only when configured', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted), {
    proofSecret: 'shh',
  });
  await send(upstream);
  assert.match(received[0]?.url ?? '', /^\/v24\.0\/777\/messages\?appsecret_proof=[\da-f]{64}$/);
});
