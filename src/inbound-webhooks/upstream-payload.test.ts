import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUpstreamPayload } from './upstream-payload.ts';

const read = (value: object) => {
  const metadata = { phone_number_id: '106540352242922' };
  const changes = [{ field: 'messages', value: { metadata, ...value } }];
  const bytes = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] }));
  return { bytes, payload: readUpstreamPayload(bytes) };
};
const contact = (name: string) => ({ wa_id: '12025550101', profile: { name } });
const status = (index: number) => ({
  ...{ id: `wamid.${index}`, status: 'sent', timestamp: '1790000000', recipient_id: '12025550101' },
});

test('what a payload says of a person goes with each of its items', () => {
  const { payload } = read({ contacts: [contact('Ada')], statuses: [status(1), status(2)] });
  assert.equal(payload.statuses.length, 2);
  for (const { value } of payload.statuses) assert.deepEqual(JSON.parse(value ?? '').contacts, [contact('Ada')]);
});

test('a large contact that thousands of items share makes no more of a payload than twice its size', () => {
  const statuses = Array.from({ length: 1_000 }, (_, index) => status(index));
  const { bytes, payload } = read({ contacts: [contact('x'.repeat(50_000))], statuses });
  assert.equal(payload.statuses.length, 1_000);
  const characters = payload.statuses.reduce((sum, { value }) => sum + (value ?? '').length, 0);
  assert.ok(characters < 2 * bytes.length + 1_000 * 40, `${characters} characters of ${bytes.length} bytes`);
});
