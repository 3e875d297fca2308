import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendingNumber } from '../accounts/index.ts';
import { type ApplyDeps, resolvePayloads } from './apply-payload.ts';
import { readUpstreamPayload } from './upstream-payload.ts';

test('the numbers that payloads speak of are looked up together, each once', async () => {
  const asked: string[] = [];
  const allAsked = Promise.withResolvers<void>();
  const owner = { organizationId: 'before', untilMs: 0 };
  const accounts = {
    async findByPhoneNumberId(phoneNumberId: string) {
      asked.push(phoneNumberId);
      if (asked.length === 3) allAsked.resolve();
      await allAsked.promise;
      return phoneNumberId === '3' ? undefined : ({ phoneNumberId } as SendingNumber);
    },
    listOwners: (phoneNumberId: string) => (phoneNumberId === '1' ? [owner] : []),
  };
  const payloads = [['1', '2'], ['1'], ['3', '2']].map((ids) => {
    const changes = ids.map((id) => {
      const statuses = [{ id: `wamid.${id}`, status: 'sent', timestamp: '1790000000' }];
      return { field: 'messages', value: { metadata: { phone_number_id: id }, statuses } };
    });
    return readUpstreamPayload(Buffer.from(JSON.stringify({ entry: [{ id: '7', changes }] })));
  });
  const { numbers, owners } = await resolvePayloads({ accounts } as unknown as ApplyDeps, payloads);
  assert.deepEqual(asked, ['1', '2', '3']);
  assert.deepEqual([...numbers.keys()], ['1', '2']);
  assert.deepEqual(
    [...owners.entries()],
    [
      ['1', [owner]],
      ['2', []],
      ['3', []],
    ],
  );
});
