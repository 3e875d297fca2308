import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templatePages } from '../../test/support/template-pages.ts';
import { onRequests, reply, startPeer, startRawPeer, token } from '../../test/support/upstream-peer.ts';
import type { Upstream } from './upstream.ts';

const calls: Record<string, (upstream: Upstream) => Promise<{ kind: string }>> = {
  markAsRead: (upstream) => upstream.markAsRead({ phoneNumberId: '777', token, body: '{}' }),
  listPhoneNumbers: (upstream) => upstream.listPhoneNumbers('55', token),
  readSubscription: (upstream) => upstream.readSubscription('55', token),
  subscribeApp: (upstream) => upstream.subscribeApp('55', token),
  unsubscribeApp: (upstream) => upstream.unsubscribeApp('55', token),
  listTemplates: async (upstream) => (await templatePages(upstream)).at(-1) ?? { kind: 'none' },
  findTemplatesByName: (upstream) => upstream.findTemplatesByName('55', token, 'promo'),
  getTemplate: (upstream) => upstream.getTemplate('9', token),
  createTemplate: (upstream) => upstream.createTemplate('55', token, '{}'),
  editTemplate: (upstream) => upstream.editTemplate('9', token, '{}'),
  deleteTemplates: (upstream) => upstream.deleteTemplates('55', token, { name: 'promo' }),
  getMedia: (upstream) => upstream.getMedia('31', token, '777'),
  deleteMedia: (upstream) => upstream.deleteMedia('31', token, '777'),
};

const refusals: [string, number, object, object][] = [
  [
    'rejected',
    400,
    { code: 100, error_subcode: 2388024, error_user_title: 'T', error_user_msg: 'U' },
    { subcode: 2388024 },
  ],
  ['rejected', 404, { code: 803 }, { httpStatus: 404 }],
  ['credential', 401, { code: 190 }, { code: '190', httpStatus: 401 }],
  ['throttled', 400, { code: 80008 }, { scope: 'waba' }],
  ['throttled', 429, { code: 4 }, { scope: 'app' }],
  ['unavailable', 500, { code: 2 }, { reason: 'transient_error', mayHaveHappened: false }],
  ['unavailable', 500, {}, { reason: 'server_error', mayHaveHappened: true }],
  ['unavailable', 302, {}, { reason: 'server_error', mayHaveHappened: false }],
];

for (const [name, call] of Object.entries(calls)) {
  test(`${name}: refusal → kind follows the platform's code`, async (t) => {
    let answer: [number, object] = [200, {}];
    const { upstream } = await startPeer(t, (_request, response) => reply(response, answer[0], { error: answer[1] }));
    for (const [kind, status, error, expected] of refusals) {
      answer = [status, error];
      assert.partialDeepStrictEqual(await call(upstream), { kind, ...expected }, `${kind} ${status}`);
    }
  });

  test(`${name}: unreadable answer → unavailable`, async (t) => {
    const { upstream } = await startRawPeer(t, (socket) => {
      onRequests(socket, () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"hi"'));
    });
    assert.partialDeepStrictEqual(await call(upstream), { kind: 'unavailable', reason: 'unreadable_answer' });
  });

  test(`${name}: broken connection → resolves, never throws`, async (t) => {
    const { upstream } = await startRawPeer(t, (socket) => onRequests(socket, () => socket.resetAndDestroy()));
    const expected = { kind: 'unavailable', reason: 'connection_lost', mayHaveHappened: true };
    assert.partialDeepStrictEqual(await call(upstream), expected);
  });

  test(`${name}: token → sent in its header only`, async (t) => {
    const { upstream, received, logged } = await startPeer(t, (_request, response) => {
      reply(response, 400, { error: { code: 190, message: `Malformed access token ${token}` } });
    });
    const result = await call(upstream);
    assert.equal(received[0]?.headers.authorization, `Bearer ${token}`);
    for (const text of [JSON.stringify(result), received[0]?.url ?? '', ...logged]) {
      assert.ok(!text.includes(token), text);
    }
  });
}

test('numbers: read from all pages, fields requested by name', async (t) => {
  const first = {
    data: [
      {
        id: '1',
        display_phone_number: '+49 170 1',
        verified_name: 'Shop',
        status: 'CONNECTED',
        platform_type: 'CLOUD_API',
        quality_rating: 'GREEN',
        throughput: { level: 'HIGH' },
        is_on_biz_app: true,
        webhook_configuration: {
          phone_number: 'https://user:pass@Inbox.Example:443/hooks/a?secret=1#x',
          whatsapp_business_account: '',
          application: 7,
        },
      },
      null,
      { id: 5 },
    ],
    paging: { cursors: { after: 'c1+/=' }, next: 'https://evil.invalid/?access_token=x' },
  };
  const second = { data: [{ id: 2, display_phone_number: '1702' }], paging: { cursors: { after: 'c2' } } };
  const { upstream, received } = await startPeer(t, (request, response) => {
    reply(response, 200, request.url.includes('after=') ? second : first);
  });
  const result = await upstream.listPhoneNumbers('55', token);
  assert.ok(result.kind === 'ok');
  assert.deepEqual(result.value[0], {
    id: '1',
    displayPhoneNumber: '+49 170 1',
    verifiedName: 'Shop',
    status: 'CONNECTED',
    platformType: 'CLOUD_API',
    qualityRating: 'GREEN',
    throughputLevel: 'HIGH',
    isOnBizApp: true,
    webhooks: { number: { url: 'https://inbox.example/hooks/a' }, businessAccount: null, app: null },
  });
  assert.deepEqual(result.value[1], { id: '5', displayPhoneNumber: null }, 'there, and told of only in part');
  assert.partialDeepStrictEqual(result.value[2], {
    id: '2',
    displayPhoneNumber: '1702',
    status: null,
    isOnBizApp: false,
  });
  assert.equal(result.value.length, 3);
  const queries = received.map(({ url }) => new URL(url, 'http://x').searchParams);
  assert.ok(queries.every((query) => query.get('fields')?.split(',').includes('status')));
  assert.deepEqual(
    queries.map((query) => query.get('after')),
    [null, 'c1+/='],
  );
});

test('listing: later page fails → yields the pages read, then the failure', async (t) => {
  const node = { id: '1', name: 'a', language: 'en', category: 'UTILITY', status: 'APPROVED' };
  const { upstream } = await startPeer(t, (request, response) => {
    if (request.url.includes('after=')) reply(response, 500, { error: { code: 1 } });
    else reply(response, 200, { data: [node], paging: { cursors: { after: 'x' }, next: 'https://y.invalid' } });
  });
  const pages = await templatePages(upstream);
  assert.deepEqual(
    pages.map(({ kind }) => kind),
    ['ok', 'unavailable'],
  );
  assert.equal((await upstream.findTemplatesByName('55', token, 'a')).kind, 'unavailable');
});

test('listing: cursor points to itself → unavailable', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => {
    reply(response, 200, { data: [], paging: { cursors: { after: 'same' }, next: 'https://y.invalid' } });
  });
  assert.equal((await upstream.listPhoneNumbers('55', token)).kind, 'unavailable');
  assert.equal(received.length, 2);
});

test('listing: cursors form a circle → unavailable', async (t) => {
  const { upstream, received } = await startPeer(t, (request, response) => {
    const after = request.url.includes('after=one') ? 'two' : 'one';
    reply(response, 200, { data: [], paging: { cursors: { after }, next: 'https://y.invalid' } });
  });
  assert.equal((await upstream.listPhoneNumbers('55', token)).kind, 'unavailable');
  assert.equal(received.length, 3);
});

test('listing: endless → reading stops at the memory limit', async (t) => {
  const name = 'x'.repeat(4 * 1024 * 1024);
  const { upstream, received } = await startPeer(t, (_request, response) => {
    const data = [{ id: '1', display_phone_number: '1', verified_name: name }];
    reply(response, 200, { data, paging: { cursors: { after: `${received.length}` }, next: 'https://y.invalid' } });
  });
  assert.equal((await upstream.listPhoneNumbers('55', token)).kind, 'unavailable');
  assert.equal(received.length, 12);
});

test('page: too many small values for memory → not parsed', async (t) => {
  const page = `{"data":[${'{},'.repeat(1_000_000)}{}]}`;
  const { upstream } = await startPeer(t, (_request, response) => response.end(page));
  assert.partialDeepStrictEqual(await upstream.listPhoneNumbers('55', token), {
    kind: 'unavailable',
    reason: 'oversize_answer',
  });
});

test('long answer: accepted from a listing only', async (t) => {
  const text = 'x'.repeat(2 * 1024 * 1024);
  const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, { id: '1', url: 'x', text }));
  assert.partialDeepStrictEqual(await upstream.getMedia('31', token, '777'), {
    kind: 'unavailable',
    reason: 'oversize_answer',
  });
});

test('text the database cannot store → read in storable form', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    reply(response, 200, { data: [{ id: '1', display_phone_number: '1', verified_name: 'a\u0000b' }] });
  });
  const numbers = await upstream.listPhoneNumbers('55', token);
  assert.partialDeepStrictEqual(numbers, { kind: 'ok', value: [{ verifiedName: 'a\ufffdb' }] });
});

test('page: very many items → one list', async (t) => {
  const data = Array.from({ length: 150_000 }, (_, id) => ({ id, display_phone_number: '1' }));
  const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, { data }));
  const numbers = await upstream.listPhoneNumbers('55', token);
  assert.ok(numbers.kind === 'ok' && numbers.value.length === data.length);
});

test('listing: next page without a cursor → failure, its items do not count as deleted', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    reply(response, 200, { data: [], paging: { next: 'https://graph.invalid/v24.0/55/phone_numbers?offset=100' } });
  });
  const expected = { kind: 'unavailable', reason: 'unreadable_answer' };
  assert.partialDeepStrictEqual(await upstream.listPhoneNumbers('55', token), expected);
  assert.partialDeepStrictEqual(await templatePages(upstream), [expected]);
});

test('listing: next page without cursors → found through its address', async (t) => {
  const { upstream, received } = await startPeer(t, (request, response) => {
    const next = 'https://graph.invalid/v24.0/55/phone_numbers?access_token=T&after=QQ';
    reply(response, 200, request.url.includes('after=QQ') ? { data: [] } : { data: [], paging: { next } });
  });
  assert.deepEqual(await upstream.listPhoneNumbers('55', token), { kind: 'ok', value: [] });
  assert.equal(received.length, 2);
});

test('read receipt: sent unchanged to the send URL', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { success: true }));
  const request = { phoneNumberId: '777', token, body: '{"status":"read"}' };
  assert.deepEqual(await upstream.markAsRead(request), { kind: 'ok', value: true });
  assert.equal(received[0]?.url, '/v24.0/777/messages');
  assert.equal(received[0]?.body.toString(), request.body);
});

test('subscribe: returns the platform’s answer', async (t) => {
  let success = true;
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { success }));
  assert.deepEqual(await upstream.subscribeApp('55', token), { kind: 'ok', value: true });
  assert.equal(received[0]?.url, '/v24.0/55/subscribed_apps');
  success = false;
  assert.equal((await upstream.subscribeApp('55', token)).kind, 'unavailable');
});
