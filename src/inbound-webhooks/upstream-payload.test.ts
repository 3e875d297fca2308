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

test('what a payload says of one person goes with no item of another', () => {
  const byUserId = { user_id: 'US.1', profile: { name: 'Bo' } };
  const message = (from: object) => ({ id: 'wamid.3', type: 'text', timestamp: '1790000000', ...from });
  const { payload } = read({
    contacts: [contact('Ada'), byUserId],
    statuses: [{ ...status(1), recipient_id: '12025550102' }],
    messages: [message({ from: '12025550103' }), message({ from_user_id: 'US.2' }), message({ from_user_id: 'US.1' })],
  });
  const contacts = [...payload.statuses, ...payload.inbound].map(({ value }) => JSON.parse(value ?? '{}').contacts);
  assert.deepEqual(contacts, [undefined, undefined, undefined, [byUserId]]);
});

test('an item without a time that can be one is left out, and none beside it', () => {
  const at = (timestamp: unknown) => ({ ...status(1), timestamp });
  for (const timestamp of [undefined, null, '', 'soon', '0', -1, '4102444800', 1e300, '1790000000000']) {
    const { payload } = read({
      statuses: [at(timestamp), status(2)],
      messages: [
        { id: 'wamid.3', timestamp },
        { id: 'wamid.4', timestamp: 1_790_000_000 },
      ],
    });
    assert.deepEqual(
      [...payload.statuses, ...payload.inbound].map(({ wamid }) => wamid),
      ['wamid.2', 'wamid.4'],
      `${timestamp}`,
    );
  }
});

test('a large contact that thousands of items share makes no more of a payload than twice its size', () => {
  const statuses = Array.from({ length: 1_000 }, (_, index) => status(index));
  const { bytes, payload } = read({ contacts: [contact('x'.repeat(50_000))], statuses });
  assert.equal(payload.statuses.length, 1_000);
  const characters = payload.statuses.reduce((sum, { value }) => sum + (value ?? '').length, 0);
  assert.ok(characters < 2 * bytes.length + 1_000 * 40, `${characters} characters of ${bytes.length} bytes`);
});
