import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import { openWindows } from '../../src/conversations/index.ts';
import { findLastInbound } from '../../src/conversations/queries.ts';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { recordStatuses } from '../../src/messages/index.ts';
import { type AcceptedMessage, insertAccepted } from '../../src/messages/send/accept-queries.ts';
import { applyOptOutActs, listOptOuts } from '../../src/opt-outs/index.ts';
import { createPeople } from '../../src/people/index.ts';
import { openAccountsDatabase } from '../harness/connected-accounts.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { until } from '../harness/tenant.ts';

const { db, connect } = await openAccountsDatabase({ after });
/** Calls of statements by name. */
const calls = new EventEmitter();
const watched: Database = {
  ...db,
  transaction: (work) =>
    db.transaction((tx) =>
      work({
        async query(statement) {
          const rows = await tx.query(statement);
          calls.emit(statement.name ?? '');
          return rows as never;
        },
      }),
    ),
};
const people = createPeople({ db: watched, clock: systemClock });

/** Resolves when a transaction has executed a statement of this name. */
async function untilTried(statement: string): Promise<void> {
  await once(calls, statement);
}

/** A tenant's account, with its only number. */
interface Account {
  organizationId: string;
  wabaId: string;
  numberId: number;
}

let accounts: [Account, Account];

before(async () => {
  await preparePartitions({ db, clock: systemClock });
  accounts = [await accountOf('one'), await accountOf('two')];
});

async function accountOf(name: string): Promise<Account> {
  const { organizationId, wabaId } = await connect(name);
  const [number] = await db.query<{ number_id: number }>({
    text: 'SELECT number_id FROM sending_number WHERE waba_id = $1',
    values: [wabaId],
  });
  assert.ok(number);
  return { organizationId, wabaId, numberId: number.number_id };
}

/** Stores a send to a phone number or user id, and returns the key it waits under. */
async function store(queryable: Queryable, account: Account, name: { phone: string } | { userId: string }) {
  const { organizationId, numberId, wabaId } = account;
  const isNumber = 'phone' in name;
  const contact = isNumber ? name.phone : await people.enroll({ organizationId, wabaId }, name.userId);
  const message: AcceptedMessage = {
    id: newId(),
    organizationId,
    numberId,
    shard: 1,
    flowId: 4,
    wabaId,
    contact,
    recipient: isNumber ? contact : undefined,
    userId: isNumber ? undefined : name.userId,
    type: 'text',
    templateName: undefined,
    templateLanguage: undefined,
    category: 'service',
    priceMicros: 0,
    country: '',
    prices: undefined,
    body: '{}',
    callbackData: undefined,
    apiKeyId: newId(),
    idempotency: undefined,
    expiresAtMs: Date.now() + 60_000,
    traceparent: undefined,
  };
  const places = await insertAccepted(queryable, { nodeId: newId(), nowMs: Date.now() }, [message]);
  return places.get(message.id)?.contact;
}

function sightingOf(
  { organizationId, wabaId }: Account,
  numbers: string[],
  userIds: string[],
  formerNumbers?: string[],
) {
  const stated = formerNumbers === undefined ? {} : { formerNumbers };
  return { organizationId, wabaId, numbers, userIds, parentUserIds: [], atMs: Date.now(), ...stated };
}

const freshPhone = () => `4477${randomInt(10_000_000, 99_999_999)}`;

test('a merge beside a send to the user id → waits for it, and keeps the key of its row', async () => {
  const [account, other] = accounts;
  const phone = freshPhone();
  const userId = `GB.${phone}`;
  const key = await people.enroll(account, userId);
  let merging: ReturnType<typeof people.identify> | undefined;
  await db.transaction(async (tx) => {
    assert.equal(await store(tx, account, { userId }), key);
    merging = people.identify([sightingOf(account, [phone], [userId])]);
    await untilTried('person_list_waiting');
    // Another tenant's people of the same names are not concerned.
    const foreign = await people.identify([sightingOf(other, [phone], [userId])]);
    assert.equal(foreign[0]?.number, phone);
    assert.equal(await store(db, other, { userId }), phone);
  });
  assert.equal((await merging)?.[0]?.number, key);
  assert.equal(await store(db, account, { phone }), key);
});

test('a send beside a merge → waits for it, and takes the key that is left', async () => {
  const [account] = accounts;
  const phone = freshPhone();
  const userId = `GB.${phone}`;
  await people.enroll(account, userId);
  const proceed = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const slow = createPeople({
    db: {
      ...db,
      transaction: (work) =>
        db.transaction((tx) =>
          work({
            async query(statement) {
              const rows = await tx.query(statement);
              if (statement.name === 'person_list_waiting') {
                reached.resolve();
                await proceed.promise;
              }
              return rows as never;
            },
          }),
        ),
    },
    clock: systemClock,
  });
  const merging = slow.identify([sightingOf(account, [phone], [userId])]);
  await reached.promise;
  const sending = store(db, account, { userId });
  await untilWaiting(db);
  proceed.resolve();
  assert.equal((await merging)[0]?.number, phone);
  assert.equal(await sending, phone);
});

test('a change of number beside a send to the old one → the key of its row stays', async () => {
  const [account] = accounts;
  const [old, present] = [freshPhone(), freshPhone()];
  let merging: ReturnType<typeof people.identify> | undefined;
  await db.transaction(async (tx) => {
    assert.equal(await store(tx, account, { phone: old }), old);
    merging = people.identify([sightingOf(account, [old, present], [], [old])]);
    await until('the number has a stored name', async () => {
      const rows = await db.query({ text: 'SELECT FROM person_alias WHERE alias = $1', values: [old] });
      return rows.length > 0 || undefined;
    });
  });
  assert.equal((await merging)?.[0]?.number, old);
  assert.equal(await store(db, account, { phone: present }), old);
});

test('a window that opens beside a merge → open under every name', async () => {
  const [account] = accounts;
  const { organizationId, wabaId, numberId } = account;
  const phone = freshPhone();
  const userId = `GB.${phone}`;
  const contact = await people.enroll(account, userId);
  const atMs = Date.now();
  const open = (tx: Queryable) =>
    openWindows(tx, [{ organizationId, numberId, of: { contact, name: userId, wabaId }, atMs, by: 'message' }]);
  let merging: ReturnType<typeof people.identify> | undefined;
  await db.transaction(async (tx) => {
    await open(tx);
    merging = people.identify([sightingOf(account, [phone], [userId])]);
    await untilTried('person_list_waiting');
  });
  assert.equal((await merging)?.[0]?.number, phone);
  // The key was read before the merge, and is written after it.
  await db.transaction(open);
  const names = [phone, userId].map((name) => ({ organizationId, numberId, wabaId, name }));
  assert.deepEqual(await findLastInbound(db, names), [atMs, atMs]);
});

test('statuses by user id, number, both → one key; names of two records → none', async () => {
  const [account] = accounts;
  const { organizationId, wabaId } = account;
  const [number] = await db.query<{ phone_number_id: string }>({
    text: 'SELECT phone_number_id FROM sending_number WHERE waba_id = $1',
    values: [wabaId],
  });
  const [phone, stranger] = [freshPhone(), freshPhone()];
  const userId = `GB.${phone}`;
  await people.identify([sightingOf(account, [phone], [userId])]);
  const keyOf = async (contact: string | undefined, id: string | undefined) => {
    const wamid = `wamid.${newId()}`;
    const reasons = { errorCode: undefined, errorMessage: undefined, category: undefined, pricingType: undefined };
    const status = {
      wamid,
      phoneNumberId: number?.phone_number_id ?? '',
      contact,
      userId: id,
      status: 'sent' as const,
    };
    const update = { ...status, ...reasons, atMs: Date.now(), callbackData: undefined, value: undefined };
    await db.transaction((tx) => recordStatuses(tx, [update], () => [organizationId], Date.now()));
    const [parked] = await db.query<{ contact: number | null }>({
      text: 'SELECT contact FROM early_status WHERE wamid = $1',
      values: [wamid],
    });
    return parked?.contact;
  };
  assert.equal(await keyOf(undefined, userId), Number(phone));
  assert.equal(await keyOf(phone, undefined), Number(phone));
  assert.equal(await keyOf(phone, userId), Number(phone));
  assert.equal(await keyOf(stranger, userId), null);
  assert.equal(await keyOf(undefined, `GB.${stranger}`), null);
});

test('a merge of opt-outs by the API and by the person → the resume of the person ends neither', async () => {
  const [account] = accounts;
  const { organizationId, wabaId, numberId } = account;
  const phone = freshPhone();
  const userId = `GB.${phone}`;
  const [number] = await db.query<{ id: string }>({
    text: 'SELECT phone_number_id AS id FROM sending_number WHERE number_id = $1',
    values: [numberId],
  });
  const nowMs = Date.now();
  const act = { organizationId, wabaId, phoneNumberId: number?.id ?? '', stops: true, atMs: nowMs - 60_000 };
  const byApi = { ...act, source: 'api' as const, name: userId, userId, phoneNumber: undefined };
  const byPerson = {
    ...act,
    source: 'platform' as const,
    person: phone,
    name: phone,
    phoneNumber: phone,
    userId: undefined,
  };
  await applyOptOutActs(db, [{ ...byApi, person: await people.enroll(account, userId) }, byPerson], nowMs);
  const [person] = await people.identify([sightingOf(account, [phone], [userId])]);
  assert.equal(person?.number, phone);
  await applyOptOutActs(db, [{ ...byPerson, stops: false, atMs: nowMs }], nowMs);
  const search = { phoneNumberIds: undefined, people: [phone], before: undefined, limit: 10 };
  const left = await listOptOuts(db, organizationId, search);
  assert.deepEqual(
    left.map(({ source }) => source),
    ['api'],
  );
});
