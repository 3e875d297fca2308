import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reply, startPeer, token } from '../../test/support/upstream-peer.ts';
import { webhookAddressOf } from './webhook-address.ts';

const appNode = (id: string, override?: unknown) => ({
  whatsapp_business_api_data: { id, name: 'An app', link: 'https://example.com' },
  ...(override !== undefined && { override_callback_uri: override }),
});
const other = appNode('1', 'https://other.example/hook');
const ours = appNode('4242', 'https://elsewhere.example/hook?verify=1');
const elsewhere = { url: 'https://elsewhere.example/hook' };

const cases: [string, unknown[], string | null, object][] = [
  ['our app among others', [other, ours], '4242', { isSubscribed: true, override: elsewhere }],
  ['our app without an override', [other, appNode('4242')], '4242', { isSubscribed: true, override: null }],
  ['an override that is no text', [appNode('4242', { a: 1 })], '4242', { isSubscribed: true, override: null }],
  ['another app alone', [other], '4242', { isSubscribed: false, override: null }],
  ['no app', [], '4242', { isSubscribed: false, override: null }],
  ['no app, ours not known', [], null, { isSubscribed: false, override: null }],
  ['one app, ours not known', [ours], null, { isSubscribed: true, override: elsewhere }],
  ['several apps, ours not known', [other, ours], null, { isSubscribed: true, override: null }],
  ['nodes of another shape', [null, {}, 5], '4242', { isSubscribed: false, override: null }],
];
for (const [what, data, appId, value] of cases) {
  test(`subscription: ${what} → ${JSON.stringify(value)}`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, { data }), { appId });
    assert.deepEqual(await upstream.readSubscription('55', token), { kind: 'ok', value });
  });
}

test('subscription: our app on the second page → subscribed', async (t) => {
  const { upstream } = await startPeer(t, (request, response) => {
    const next = { paging: { cursors: { after: 'c1' }, next: 'https://evil.invalid/' } };
    reply(response, 200, request.url.includes('after=c1') ? { data: [ours] } : { data: [other], ...next });
  });
  const value = { isSubscribed: true, override: elsewhere };
  assert.deepEqual(await upstream.readSubscription('55', token), { kind: 'ok', value });
});

const addresses: [string, string | null][] = [
  ['HTTPS://Hooks.Example:443/a/%62?token=1#x', 'https://hooks.example/a/%62'],
  ['https://user:secret@hooks.example', 'https://hooks.example/'],
  ['not a url', null],
  ['ftp://hooks.example/a', null],
  [`https://hooks.example/${'a'.repeat(3_000)}`, null],
];
for (const [text, url] of addresses) {
  test(`webhook address: ${text.slice(0, 45)} → ${url}`, () => {
    assert.deepEqual(webhookAddressOf(text), { url });
  });
}
