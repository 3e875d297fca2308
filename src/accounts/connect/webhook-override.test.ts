import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NumberWebhooks } from '../../upstream/index.ts';
import { overrideOf } from './webhook-override.ts';

const PUBLIC_URL = 'https://Gateway.example:443';
const here = { url: 'https://gateway.example/webhooks/upstream' };
const inbox = { url: 'https://inbox.example/hook' };
const relay = { url: 'https://relay.example/to/gateway' };
const none: NumberWebhooks = { number: null, businessAccount: null, app: null };

const cases: [string, Partial<NumberWebhooks>, string | null, ReturnType<typeof overrideOf>][] = [
  ['no override', { app: here }, PUBLIC_URL, null],
  ['nothing told', {}, null, null],
  ['number to an inbox', { number: inbox, app: here }, PUBLIC_URL, { level: 'phone_number', ...inbox }],
  ['account to an inbox', { businessAccount: inbox }, PUBLIC_URL, { level: 'whatsapp_business_account', ...inbox }],
  ['number here, account to an inbox', { number: here, businessAccount: inbox }, PUBLIC_URL, null],
  [
    'number to an inbox, account here',
    { number: inbox, businessAccount: here },
    PUBLIC_URL,
    { level: 'phone_number', ...inbox },
  ],
  ['here, which nobody says', { number: here }, null, { level: 'phone_number', ...here }],
  ["to the app's address", { number: relay, app: relay }, PUBLIC_URL, null],
  ["to the app's address, ours unknown", { businessAccount: here, app: here }, null, null],
  ['to no URL, as the app', { number: { url: null }, app: { url: null } }, null, { level: 'phone_number', url: null }],
];
for (const [what, webhooks, publicUrl, expected] of cases) {
  test(`override: ${what} → ${expected?.level ?? 'none'}`, () => {
    assert.deepEqual(overrideOf({ ...none, ...webhooks }, undefined, publicUrl), expected);
  });
}

test('override: an account that only the subscription reports → the account', () => {
  const subscription = { isSubscribed: true, override: inbox };
  assert.deepEqual(overrideOf(none, subscription, null), { level: 'whatsapp_business_account', ...inbox });
  assert.equal(overrideOf({ ...none, number: here }, subscription, PUBLIC_URL), null);
});
