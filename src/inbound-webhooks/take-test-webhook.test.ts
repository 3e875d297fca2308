import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { testAccountOf } from '../test-accounts/index.ts';
import { takeTestWebhook } from './take-test-webhook.ts';

const { wabaId, phoneNumberId } = testAccountOf('a');
const appSecret = 'of this process';

async function take(entry: object[], secret = appSecret) {
  const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }));
  const submitted: Buffer[] = [];
  const receiver = {
    submit(payload: Buffer) {
      submitted.push(payload);
      return Promise.resolve(undefined);
    },
  };
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const status = await takeTestWebhook({ receiver, appSecret }, body, { 'x-hub-signature-256': signature });
  return [status, submitted.length];
}

const entryOf = (id: string, number?: string) => ({
  id,
  changes: [{ field: 'messages', value: number === undefined ? {} : { metadata: { phone_number_id: number } } }],
});

test('test webhook: signed and about test accounts → taken in', async () => {
  assert.deepEqual(await take([entryOf(wabaId, phoneNumberId), entryOf(wabaId)]), [200, 1]);
});

test('test webhook: names an account or number of the platform → refused', async () => {
  assert.deepEqual(await take([entryOf('102000000000001', phoneNumberId)]), [401, 0]);
  assert.deepEqual(await take([entryOf(wabaId, '106000000000001')]), [401, 0]);
  assert.deepEqual(await take([entryOf(wabaId), entryOf('102000000000001')]), [401, 0]);
});

test('test webhook: signed with another secret → refused', async () => {
  assert.deepEqual(await take([entryOf(wabaId, phoneNumberId)], 'another'), [401, 0]);
});
