import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, reply, send, startPeer, token, wamid } from '../../test/support/upstream-peer.ts';
import type { SendOutcome } from './send-outcome.ts';

test('accepted message: returns its wamid, body sent byte for byte', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  const body = '{ "to" : "+491701", "n": 12345678901234567890, "s":"\\u00e9é" }';
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  assert.deepEqual(await send(upstream, { body, traceparent }), { kind: 'accepted', wamid });
  const [request] = received;
  assert.equal(request?.method, 'POST');
  assert.equal(request?.url, '/v24.0/777/messages');
  assert.equal(request?.body.toString(), body);
  assert.equal(request?.headers.authorization, `Bearer ${token}`);
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.equal(request?.headers.traceparent, traceparent);
});

test('trace context malformed → left out, message sent', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  const body = '{"to":"+491701","text":{"body":"ü\u{1f600}"}}';
  await send(upstream, { body, traceparent: 'x\r\nevil: 1' });
  assert.equal(received[0]?.body.toString(), body);
  assert.equal(received[0]?.headers.traceparent, undefined);
});

const words: [string, unknown, string | undefined][] = [
  ['a known word', 'held_for_quality_assessment', 'held_for_quality_assessment'],
  ['a word nobody knows', 'queued_for_later', 'queued_for_later'],
  ['a word with a NUL', 'paused\0', 'paused\ufffd'],
  ['a text of 65 characters', 'x'.repeat(65), undefined],
  ['an empty text', '', undefined],
  ['a number', 7, undefined],
  ['an object', { word: 'paused' }, undefined],
];
for (const [what, word, upstreamStatus] of words) {
  test(`message_status: ${what} → ${upstreamStatus === undefined ? 'left out, still accepted' : 'kept'}`, async (t) => {
    const answer = { messages: [{ id: wamid, message_status: word }] };
    const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, answer));
    const outcome = { kind: 'accepted', wamid, ...(upstreamStatus !== undefined && { upstreamStatus }) };
    assert.deepEqual(await send(upstream), outcome);
  });
}

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
  test(`2xx answer: ${what} → outcome unknown`, async (t) => {
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
  test(`${what} → outcome unknown`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => response.writeHead(status).end(body));
    assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'server_error' });
  });
}

for (const status of [301, 307, 400, 403, 404, 413]) {
  test(`HTTP ${status} without a platform error → attempt refused, redirect not followed`, async (t) => {
    const { upstream, received } = await startPeer(t, (_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('<html>no</html>');
    });
    const outcome = await send(upstream);
    assert.equal(outcome.kind, 'unavailable');
    assert.equal(received.length, 1);
  });
}

test('HTTP 429 of a proxy: slows the number down for its Retry-After', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end();
  });
  assert.deepEqual(await send(upstream), {
    kind: 'throttled',
    scope: 'number',
    retryAfterMs: 7_000,
    code: '429',
    message: null,
  });
});

test('answer beyond 1 MiB → cut off, outcome unknown', async (t) => {
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
  [
    'a passing failure',
    500,
    { code: 131000, message: 'm' },
    { kind: 'unavailable', code: '131000', reason: 'm', isOutage: false },
  ],
  ['an outage of the platform', 503, { code: 2 }, { kind: 'unavailable', code: '2', isOutage: true }],
  ['an unknown code under HTTP 500', 500, { code: 987654 }, { kind: 'unavailable', code: '987654' }],
  ['an unknown code under HTTP 400', 400, { code: 987654 }, { kind: 'rejected' }],
  ['a bad parameter', 400, { code: 131009 }, { kind: 'rejected', code: '131009' }],
  ['a missing template under HTTP 404', 404, { code: 132001 }, { kind: 'rejected' }],
  ['a paused template', 400, { code: 132015 }, { kind: 'rejected' }],
  ['an opted-out recipient', 400, { code: 131050 }, { kind: 'rejected' }],
  ['a blocked feature of the account', 400, { code: 139200 }, { kind: 'rejected' }],
];
for (const [what, status, error, expected] of platformErrors) {
  test(`${what} → ${expected.kind}`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => reply(response, status, { error }));
    assert.partialDeepStrictEqual(await send(upstream), expected);
  });
}

test('throttled budget: wait follows the usage header', async (t) => {
  const budget = [{ type: 'whatsapp', call_count: 100, estimated_time_to_regain_access: 3 }];
  const { upstream } = await startPeer(t, (_request, response) => {
    const usage = { 'X-Business-Use-Case-Usage': JSON.stringify({ 123: budget }) };
    reply(response, 400, { error: { code: 80007 } }, usage);
  });
  assert.partialDeepStrictEqual(await send(upstream), { retryAfterMs: 180_000 });
});

test('rejection: carries the full upstream error, without the token it quotes', async (t) => {
  const error = { code: 100, message: `Bad ${token}`, error_data: { details: 'd' }, error_user_title: 't' };
  const { upstream, logged } = await startPeer(t, (_request, response) => reply(response, 400, { error }));
  assert.deepEqual(await send(upstream), {
    kind: 'rejected',
    code: '100',
    message: 'd',
    provider: { code: 100, error_user_title: 't', error_user_msg: 'd' },
  });
  assert.equal(logged.length, 1);
  assert.doesNotMatch(logged.join(), new RegExp(token));
});

for (const bad of ['', 'a b', 'a\r\nx-evil: 1', 'ü']) {
  test(`token ${JSON.stringify(bad)}: credential blocked, nothing sent`, async (t) => {
    const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
    assert.partialDeepStrictEqual(await send(upstream, { token: bad }), { kind: 'blocked', scope: 'credential' });
    assert.equal(received.length, 0);
  });
}

test('number id: cannot redirect the request', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, accepted));
  await send(upstream, { phoneNumberId: '../1/x?y#z' });
  assert.equal(received[0]?.url, '/v24.0/..%2F1%2Fx%3Fy%23z/messages');
});
