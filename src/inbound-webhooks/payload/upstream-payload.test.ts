import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readUpstreamPayload } from './upstream-payload.ts';

/** 2026-09-21, right after the times that the items state. */
const RECEIVED_MS = 1_790_000_100_000;

const read = (value: object) => {
  const metadata = { phone_number_id: '106540352242922' };
  const changes = [{ field: 'messages', value: { metadata, ...value } }];
  const bytes = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] }));
  return { bytes, payload: readUpstreamPayload(bytes, RECEIVED_MS) };
};
const contact = (name: string) => ({ wa_id: '12025550101', profile: { name } });
const status = (index: number) => ({
  ...{ id: `wamid.${index}`, status: 'sent', timestamp: '1790000000', recipient_id: '12025550101' },
});

test('contact: person with several items → goes with each of them', () => {
  const { payload } = read({ contacts: [contact('Ada')], statuses: [status(1), status(2)] });
  assert.equal(payload.statuses.length, 2);
  for (const { value } of payload.statuses) assert.deepEqual(JSON.parse(value ?? '').contacts, [contact('Ada')]);
});

test('contact: items of other people → goes with none of them', () => {
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

test('item: its time cannot be read → time of arrival', () => {
  const at = (timestamp: unknown) => ({ ...status(1), timestamp });
  for (const timestamp of [undefined, null, '', 'soon', '0', -1, '4102444800', 1e300, '1790100000']) {
    const { payload } = read({ statuses: [at(timestamp), status(2)], messages: [{ id: 'wamid.3', timestamp }] });
    assert.deepEqual(
      [...payload.statuses, ...payload.inbound].map(({ wamid, atMs }) => [wamid, atMs]),
      [
        ['wamid.1', RECEIVED_MS],
        ['wamid.2', 1_790_000_000_000],
        ['wamid.3', RECEIVED_MS],
      ],
      `${timestamp}`,
    );
  }
});

test('item: its time is in milliseconds → stated time', () => {
  for (const timestamp of ['1790000000123', 1_790_000_000_123]) {
    const { payload } = read({ messages: [{ id: 'wamid.3', timestamp }] });
    assert.equal(payload.inbound[0]?.atMs, 1_790_000_000_123);
  }
});

test('items that are no message or delivery status: mixed with others → passed on unchanged', () => {
  const payment = { ...status(1), type: 'payment', status: 'failed', payment: { reference_id: 'order-7' } };
  const left = {
    statuses: [payment, { ...status(3), status: 'warning' }, { ...status(4), id: '' }, 'text', null],
    messages: [{ timestamp: '1790000000', type: 'text' }, { id: 7 }, []],
    errors: [{ code: 130429 }],
    novelty: { a: 1 },
  };
  const { payload } = read({
    ...left,
    statuses: [status(2), ...left.statuses],
    messages: [{ id: 'wamid.5', timestamp: '1790000000' }, ...left.messages],
  });
  assert.deepEqual(
    [...payload.statuses, ...payload.inbound].map(({ wamid }) => wamid),
    ['wamid.2', 'wamid.5'],
  );
  const { metadata, ...passedOn } = JSON.parse(payload.changes[0]?.raw ?? '{}');
  assert.deepEqual(passedOn, left);
  assert.deepEqual(payload.unreadable, []);
});

test('payload: entry, change, field or account missing → each place is named', () => {
  const metadata = { phone_number_id: '106540352242922' };
  const messages = { field: 'messages', value: { metadata, statuses: [status(1)] } };
  const entry = [
    'text',
    { id: '1', changes: [{ field: 'messages' }, { value: {} }, messages] },
    { changes: [{ field: 'other', value: {} }, messages] },
  ];
  const payload = readUpstreamPayload(Buffer.from(JSON.stringify({ entry })), RECEIVED_MS);
  assert.deepEqual(
    payload.unreadable.map((reason) => reason.split(':')[0]),
    ['entry[0].changes', 'entry[1].changes[0]', 'entry[1].changes[1]', 'entry[2]'],
  );
  assert.equal(payload.statuses.length, 2);
  assert.deepEqual(readUpstreamPayload(Buffer.from('{}'), RECEIVED_MS).unreadable, ['entry: empty or no list']);
});

/** Person with some of the ids that a webhook can state; an absent id is spelled at random. */
interface Person {
  number: string | undefined;
  userId: string | undefined;
  parentUserId: string | undefined;
}

test('contact: 1,000 webhooks of mixed people → none goes to another person', () => {
  const anyPerson = fc
    .tuple(fc.nat(9), fc.constantFrom('number', 'id', 'both', 'parent', 'none'))
    .map(([index, kind]): Person & { key: string } => ({
      key: `${index}/${kind}`,
      number: kind === 'number' || kind === 'both' ? `1202555${1000 + index * 10 + kind.length}` : undefined,
      userId: kind === 'id' || kind === 'both' ? `US.${index}${kind}` : undefined,
      parentUserId: kind === 'parent' ? `US.ENT.${index}` : undefined,
    }));
  const absent = fc.constantFrom(undefined, '', null);
  const spelled = (id: string | undefined, spelling: unknown) => id ?? spelling;
  const anyItem = fc.record({ person: anyPerson, spelling: absent, isStatus: fc.boolean() });
  let told = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(anyPerson, { maxLength: 6, selector: ({ key }) => key }),
      fc.array(anyItem, { minLength: 1, maxLength: 8 }),
      absent,
      (known, items, spelling) => {
        const contacts = known.map(({ key, number, userId, parentUserId }) => ({
          profile: { name: key },
          wa_id: spelled(number, spelling),
          user_id: spelled(userId, spelling),
          parent_user_id: spelled(parentUserId, spelling),
        }));
        const { payload } = read({
          contacts,
          statuses: items.flatMap(({ person, isStatus, spelling: way }, index) =>
            isStatus
              ? {
                  ...{ id: `wamid.${index}`, status: 'sent', timestamp: '1790000000' },
                  recipient_id: spelled(person.number, way),
                  recipient_user_id: spelled(person.userId, way),
                  recipient_parent_user_id: spelled(person.parentUserId, way),
                }
              : [],
          ),
          messages: items.flatMap(({ person, isStatus, spelling: way }, index) =>
            isStatus
              ? []
              : {
                  ...{ id: `wamid.${index}`, type: 'text', timestamp: '1790000000' },
                  from: spelled(person.number, way),
                  from_user_id: spelled(person.userId, way),
                  from_parent_user_id: spelled(person.parentUserId, way),
                },
          ),
        });
        for (const { wamid, value } of [...payload.statuses, ...payload.inbound]) {
          const person = items[Number(wamid.slice('wamid.'.length))]?.person;
          const names = JSON.parse(value ?? '{}').contacts?.map(
            (one: { profile: { name: string } }) => one.profile.name,
          );
          const isKnown = !person?.key.endsWith('none') && known.some(({ key }) => key === person?.key);
          assert.deepEqual(names, isKnown ? [person?.key] : undefined);
          told += 1;
        }
      },
    ),
    { numRuns: 1_000 },
  );
  assert.ok(told > 1_000, `${told} items`);
});

test('large contact: shared by 1,000 items → at most twice the size of the payload', () => {
  const statuses = Array.from({ length: 1_000 }, (_, index) => status(index));
  const { bytes, payload } = read({ contacts: [contact('x'.repeat(50_000))], statuses });
  assert.equal(payload.statuses.length, 1_000);
  const characters = payload.statuses.reduce((sum, { value }) => sum + (value ?? '').length, 0);
  assert.ok(characters < 2 * bytes.length + 1_000 * 40, `${characters} characters of ${bytes.length} bytes`);
});
