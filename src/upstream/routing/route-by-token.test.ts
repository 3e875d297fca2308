import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { send, startPeer, startUpstream } from '../../../test/support/upstream-peer.ts';
import type { Upstream } from '../upstream.ts';
import { routeByToken } from './route-by-token.ts';

const file = () => ({ stream: Readable.from(['x']), bytes: 1, mimeType: 'image/png', fileName: 'x.png' });
const APP = { id: '1', secret: 's' };

/** Every call that carries the token of an account. */
const CALLS: Record<string, (upstream: Upstream, token: string) => unknown> = {
  sendMessage: (upstream, token) => send(upstream, { token }),
  markAsRead: (upstream, token) => upstream.markAsRead({ phoneNumberId: '7', token, body: '{}' }),
  listPhoneNumbers: (upstream, token) => upstream.listPhoneNumbers('5', token),
  subscribeApp: (upstream, token) => upstream.subscribeApp('5', token),
  readSubscription: (upstream, token) => upstream.readSubscription('5', token),
  unsubscribeApp: (upstream, token) => upstream.unsubscribeApp('5', token),
  readNumberHealth: (upstream, token) => upstream.readNumberHealth('5', token),
  readOnboarding: (upstream, token) => upstream.readOnboarding('5', token),
  debugToken: (upstream, token) => upstream.debugToken(APP, token),
  readNumberState: (upstream, token) => upstream.readNumberState('7', token),
  registerNumber: (upstream, token) => upstream.registerNumber('7', token, '123456'),
  requestNumberCode: (upstream, token) => upstream.requestNumberCode('7', token, 'SMS'),
  verifyNumber: (upstream, token) => upstream.verifyNumber('7', token, '123456'),
  listTemplates: (upstream, token) => upstream.listTemplates('5', token).next(),
  findTemplatesByName: (upstream, token) => upstream.findTemplatesByName('5', token, 'x'),
  getTemplate: (upstream, token) => upstream.getTemplate('9', token),
  summarizeTemplates: (upstream, token) => upstream.summarizeTemplates('5', token, 'total_count'),
  createTemplate: (upstream, token) => upstream.createTemplate('5', token, '{}'),
  editTemplate: (upstream, token) => upstream.editTemplate('9', token, '{}'),
  deleteTemplates: (upstream, token) => upstream.deleteTemplates('5', token, { name: 'x' }),
  uploadSample: (upstream, token) => upstream.uploadSample(token, file()),
  uploadMedia: (upstream, token) => upstream.uploadMedia('7', token, file()),
  getMedia: (upstream, token) => upstream.getMedia('3', token, undefined),
  deleteMedia: (upstream, token) => upstream.deleteMedia('3', token, undefined),
  downloadMedia: (upstream, token) => upstream.downloadMedia('http://127.0.0.1:9/x', token),
  passThrough: (upstream, token) =>
    upstream.passThrough({
      ...{ method: 'GET', objectId: '7', edge: 'x', query: {}, body: null, token },
      ...{ timeoutMs: 1_000, answerBytesMax: 1_000 },
    }),
};

test('calls: the table has every call with a token', async (t) => {
  const { upstream } = startUpstream(t, { baseUrl: 'http://127.0.0.1:9/v24.0' });
  const others = ['platformClock', 'readAppWebhooks', 'subscribeAppFields', 'exchangeCode', 'close'];
  assert.deepEqual(
    Object.keys(upstream).filter((name) => !others.includes(name)),
    Object.keys(CALLS),
  );
});

for (const [name, call] of Object.entries(CALLS)) {
  test(`${name}: token of the other kind → no request, at either client`, async (t) => {
    const { upstream: live, received } = await startPeer(t, (_request, response) => response.end('{}'));
    await call(live, 'simulator:01');
    assert.deepEqual(received, []);
    let sockets = 0;
    const { upstream: tests } = startUpstream(t, {
      baseUrl: 'http://localhost/v24.0',
      findTestSocket() {
        sockets += 1;
        return Promise.reject(new Error('closed'));
      },
    });
    await call(tests, 'EAAlive');
    assert.equal(sockets, 0);
    // With tokens of their own both would have been asked.
    if (name === 'debugToken') return;
    await call(tests, 'simulator:01');
    assert.ok(sockets > 0);
  });

  test(`${name}: routed by its token`, async (t) => {
    const asked: string[] = [];
    const fake = (place: string) =>
      ({
        [name]: (...values: unknown[]) => {
          asked.push(`${place} ${JSON.stringify(values).includes('simulator:01')}`);
          return name === 'listTemplates' ? [][Symbol.iterator]() : Promise.resolve({ kind: 'ok' });
        },
      }) as unknown as Upstream;
    const routed = routeByToken({ live: fake('live'), tests: fake('tests') });
    await call(routed, 'simulator:01');
    await call(routed, 'EAAlive');
    assert.deepEqual(asked, name === 'debugToken' ? ['live true', 'live false'] : ['tests true', 'live false']);
    t.diagnostic(name);
  });
}

test('send: limit of the app and closed socket at the simulator → hold up the account only', async () => {
  for (const outcome of [
    { kind: 'throttled', scope: 'app', retryAfterMs: null, code: '4', message: null },
    { kind: 'unsent', reason: 'connect' },
  ]) {
    const fake = { sendMessage: () => Promise.resolve(outcome) } as unknown as Upstream;
    const routed = routeByToken({ live: fake, tests: fake });
    assert.partialDeepStrictEqual(await send(routed, { token: 'simulator:01' }), { kind: 'throttled', scope: 'waba' });
    assert.equal(await send(routed, { token: 'EAAlive' }), outcome);
  }
});
