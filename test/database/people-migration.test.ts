import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { findLastInbound } from '../../src/conversations/queries.ts';
import { newId } from '../../src/core/ids.ts';
import { conversationKeyOf } from '../../src/core/phone-number.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type Database, openDatabase, type Queryable } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { insertAccepted } from '../../src/messages/send/accept-queries.ts';
import { createTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';

const MIGRATIONS = resolve(import.meta.dirname, '../../src/database/migrations');
const BEFORE_PEOPLE = '0041';
const log = pino({ level: 'silent' });

interface Account {
  organizationId: string;
  wabaId: string;
  numberId: number;
}

/** Creates a database of the version before people had records, with the accounts of two tenants. */
async function setUp(t: TestContext) {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  await db.query({ text: 'DROP SCHEMA public CASCADE' });
  await db.query({ text: 'CREATE SCHEMA public' });
  const dir = await mkdtemp(join(tmpdir(), 'fairway-migrations-'));
  t.after(() => rm(dir, { recursive: true }));
  for (const file of await readdir(MIGRATIONS))
    if (file.slice(0, 4) <= BEFORE_PEOPLE) await copyFile(join(MIGRATIONS, file), join(dir, file));
  await migrate({ connectionString, log, dir });
  await preparePartitions({ db, clock: systemClock });
  const accounts: [Account, Account] = [await createAccount(db, '71'), await createAccount(db, '72')];
  return { db, accounts, migratePeople: () => migrate({ connectionString, log }) };
}

async function createAccount(db: Queryable, wabaId: string): Promise<Account> {
  const organizationId = newId();
  await db.query({
    text: `INSERT INTO organization (id, name, created_at) VALUES ($1, 'tenant', now())`,
    values: [organizationId],
  });
  await db.query({
    text: `INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) VALUES ($1, $2, '', now())`,
    values: [organizationId, wabaId],
  });
  const [number] = await db.query<{ number_id: number }>({
    text: `
      INSERT INTO sending_number (organization_id, phone_number_id, account_id, waba_id, phone_number, registered, created_at, updated_at)
      VALUES ($1, '8' || $2, $3, $2, '15550001', true, now(), now()) RETURNING number_id`,
    values: [organizationId, wabaId, newId()],
  });
  assert.ok(number);
  return { organizationId, wabaId, numberId: number.number_id };
}

/** Queues a message as the version before does: under the digits of `to`. */
async function queueAsBefore(db: Queryable, { organizationId, numberId }: Account, to: string): Promise<void> {
  const id = newId();
  await db.query({
    text: `
      INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, accepted_at)
      VALUES ($1, $2, $3, 0, $4, 'text', '{}', 0, now())`,
    values: [organizationId, id, numberId, to],
  });
  await db.query({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      VALUES (1, $1, 4, $2, $3, $4, now(), now() + interval '1 day')`,
    values: [numberId, to, newId(), id],
  });
}

/** Opens a window as the version before does: under the digits that the platform reported. */
async function openAsBefore(db: Queryable, account: Account, from: string, atMs: number): Promise<void> {
  await db.query({
    text: `
      INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (organization_id, number_id, contact) DO UPDATE
        SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at)`,
    values: [account.organizationId, account.numberId, from, new Date(atMs)],
  });
}

/** Returns the key under which this version queues a message to a number. */
async function queueNow(db: Database, { organizationId, numberId, wabaId }: Account, to: string): Promise<string> {
  const id = newId();
  const template = { templateName: undefined, templateLanguage: undefined, callbackData: undefined };
  const places = await insertAccepted(db, { nodeId: newId(), nowMs: Date.now() }, [
    {
      ...{ id, organizationId, numberId, wabaId, shard: 1, flowId: 4, ...template },
      ...{ contact: conversationKeyOf(to), recipient: to, userId: undefined, type: 'text', category: 'service' },
      ...{ priceMicros: 0, country: '', prices: undefined, body: '{}', apiKeyId: newId(), idempotency: undefined },
      ...{ expiresAtMs: Date.now() + 60_000, traceparent: undefined },
    },
  ]);
  return places.get(id)?.contact ?? '';
}

/** Returns the newest opening of the window that this version finds for a number, epoch ms. */
async function windowOf(db: Database, account: Account, digits: string): Promise<number | undefined> {
  const [atMs] = await findLastInbound(db, [{ ...account, name: conversationKeyOf(digits) }]);
  return atMs;
}

/** Numbers of Ivory Coast and Benin: as dialled today, and in the older spelling. */
const NUMBERS = [
  ['2250707123456', '22507123456'],
  ['2250544000001', '22544000001'],
  ['2250101234567', '22501234567'],
  ['2290197123456', '22997123456'],
] as const;

test('people migration: messages wait under a new spelling → later ones and windows join them', async (t) => {
  const { db, accounts, migratePeople } = await setUp(t);
  const [account, other] = accounts;
  const atMs = Date.now() - 60_000;
  for (const [present, older] of NUMBERS) {
    await queueAsBefore(db, account, present);
    await openAsBefore(db, account, present, atMs);
    await openAsBefore(db, account, older, atMs + 1_000);
    await openAsBefore(db, other, present, atMs + 2_000);
  }
  await migratePeople();
  for (const [present, older] of NUMBERS) {
    for (const digits of [present, older]) {
      assert.equal(await queueNow(db, account, digits), present);
      assert.equal(await windowOf(db, account, digits), atMs + 1_000);
      // Nothing of the other tenant waits, so its people have the key of this version.
      assert.equal(await queueNow(db, other, digits), older);
      assert.equal(await windowOf(db, other, digits), atMs + 2_000);
    }
  }
});

test('people migration: messages wait under an older spelling → later ones in any join them', async (t) => {
  const { db, accounts, migratePeople } = await setUp(t);
  const [account, other] = accounts;
  for (const [, older] of NUMBERS) await queueAsBefore(db, account, older);
  await migratePeople();
  for (const [present, older] of NUMBERS) {
    for (const digits of [present, older]) {
      assert.equal(await queueNow(db, account, digits), older);
      assert.equal(await windowOf(db, account, digits), undefined);
      assert.equal(await windowOf(db, other, digits), undefined);
    }
  }
});

test('people migration: a node of the version before is accepting → its message is carried over', async (t) => {
  const { db, accounts, migratePeople } = await setUp(t);
  const [account, other] = accounts;
  const [[present, older]] = NUMBERS;
  const atMs = Date.now() - 60_000;
  let migrated: Promise<string[]> | undefined;
  await db.transaction(async (tx) => {
    await queueAsBefore(tx, account, present);
    await openAsBefore(tx, account, present, atMs);
    migrated = migratePeople();
    await untilWaiting(db);
  });
  await migrated;
  assert.equal(await queueNow(db, account, older), present);
  assert.equal(await windowOf(db, account, older), atMs);
  assert.equal(await queueNow(db, other, older), older);
});

test('people migration: a node of the version before goes on → its windows stay open', async (t) => {
  const { db, accounts, migratePeople } = await setUp(t);
  const [account, other] = accounts;
  await migratePeople();
  const atMs = Date.now() - 60_000;
  for (const [present, older] of NUMBERS) {
    await queueAsBefore(db, account, present);
    await openAsBefore(db, account, present, atMs);
    for (const digits of [present, older]) assert.equal(await windowOf(db, account, digits), atMs);
    assert.equal(await windowOf(db, other, present), undefined);
  }
});
