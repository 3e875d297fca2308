import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import type { SendingNumber } from '../../accounts/index.ts';
import { newId } from '../../core/ids.ts';
import type { Statement } from '../../database/database.ts';
import { INBOUND } from '../../messages/inbound/inbound-queries.ts';
import { emptyPayload, readUpstreamPayload } from '../payload/upstream-payload.ts';
import { type ApplyDeps, applyPayloads, resolvePayloads } from './apply-payload.ts';

test('resolve: numbers named in several payloads → looked up together, each once', async () => {
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
    return readUpstreamPayload(Buffer.from(JSON.stringify({ entry: [{ id: '7', changes }] })), 1_790_000_000_000);
  });
  const people = { identify: async () => [], confirm: async () => [] };
  const { numbers, owners } = await resolvePayloads({ accounts, people } as unknown as ApplyDeps, payloads);
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

test('inbound messages: many statements and other new ids → ids keep the order', async () => {
  const nowMs = Date.UTC(2026, 10, 22);
  const inbound = Array.from({ length: 30_001 }, (_, index) => ({
    phoneNumberId: '1',
    wabaId: '7',
    wamid: `wamid.${index}`,
    person: { numbers: ['15551230001'], userIds: [], parentUserIds: [] },
    groupId: undefined,
    origin: 'api' as const,
    type: 'text',
    atMs: nowMs,
    raw: '{}',
    value: undefined,
  }));
  const idOf = new Map<string, string>();
  const query = async ({ name, values = [] }: Statement) => {
    newId(nowMs + 1);
    if (name !== 'message_insert_inbound') return [];
    const stored = INBOUND.parse(values);
    for (const { id, wamid } of stored) idOf.set(String(wamid), String(id));
    return stored.map(({ wamid }) => ({ wamid }));
  };
  const numbers = new Map([['1', { organizationId: 'o', numberId: 7 } as SendingNumber]]);
  const deps = { followers: [] } as unknown as ApplyDeps;
  const payloads = [{ ...emptyPayload(), inbound }];
  const maps = { numbers, owners: new Map(), wabaOwners: new Map(), people: new Map(), stopWords: new Map() };
  const resolved = { payloads, ...maps, unknownWabas: new Set<string>() };
  const receivers = await applyPayloads(fakeDatabase({ query }), deps, resolved, nowMs);
  assert.equal(receivers.length, inbound.length);
  const ids = inbound.map(({ wamid }) => idOf.get(wamid) ?? '');
  assert.deepEqual(
    ids.filter((id, index) => id <= (ids[index - 1] ?? '')),
    [],
  );
});
