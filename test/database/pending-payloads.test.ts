import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import type { Accounts } from '../../src/accounts/index.ts';
import { sha256Hex } from '../../src/core/digest.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { PendingPayloads } from '../../src/inbound-webhooks/journal/pending-payloads.ts';
import { journalPayloads } from '../../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { createPeople } from '../../src/people/index.ts';
import { openTestDatabase } from '../harness/database.ts';
import { makeEventDays } from '../harness/event-days.ts';
import { createManualClock, type ManualClock } from '../harness/manual-clock.ts';
import { until } from '../harness/tenant.ts';

const ITEMS = 4_000;
const BAD = [7, 3_210];

/** Opens a database in which a payload with `items` changes of a connected account waits to be applied. */
async function openWithPending(t: TestContext, items: number) {
  const db = await openTestDatabase(t);
  const clock = createManualClock();
  await preparePartitions({ db, clock });
  await makeEventDays(db);
  await db.query({
    text: `
      WITH one AS (INSERT INTO organization (id, name, created_at) VALUES (gen_random_uuid(), 'One', now()) RETURNING id)
      INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, '1', '', now() FROM one`,
  });
  const changes = Array.from({ length: items }, (_, index) => ({ field: 'test', value: { index } }));
  const payload = Buffer.from(JSON.stringify({ entry: [{ id: '1', time: 1_790_000_000, changes }] }));
  const digest = sha256Hex(payload).slice(0, 32);
  const item = { payload, digest, receivedAtMs: clock.now(), failure: undefined, isReadable: true };
  await journalPayloads(db, [item], true);
  return { db, clock };
}

/** Returns the failure recorded for the payload once it is processed. */
async function findFailure(db: Database, clock: ManualClock): Promise<string> {
  return await until('the payload is worked off', async () => {
    clock.advance(1_000);
    const rows = await db.query<{ failure: string }>({
      text: 'SELECT failure FROM upstream_journal WHERE NOT pending',
    });
    return rows[0]?.failure;
  });
}

const NO_STOP_WORDS = { get: () => ({ optOutWords: [] }) };

test('a payload of thousands of items: all but the bad ones applied, in few transactions', async (t) => {
  const { db, clock } = await openWithPending(t, ITEMS);
  let transactions = 0;
  const counted: Database = {
    ...db,
    transaction: (work) => {
      transactions += 1;
      return db.transaction(work);
    },
  };
  const pending = new PendingPayloads({
    db: counted,
    clock,
    log: pino({ level: 'silent' }),
    accounts: { findByWabaId: () => ({}) } as unknown as Accounts,
    people: createPeople({ db, clock }),
    settings: NO_STOP_WORDS,
    inboundCounted: () => {},
    followers: [
      {
        fields: [],
        async follow(_tx, told) {
          const bad = told.find(({ value }) => BAD.includes(value.index as number));
          if (bad !== undefined) throw new RangeError(`cannot apply ${bad.value.index}`);
        },
      },
    ],
  });
  pending.start();
  const failure = await findFailure(db, clock);
  await pending.stop();
  assert.equal(failure, 'cannot apply 7; cannot apply 3210');
  const [claimed] = await db.query<{ count: number }>({ text: 'SELECT count(*)::int FROM upstream_digest' });
  assert.equal(claimed?.count, 1 + ITEMS - BAD.length);
  assert.ok(transactions < 100, `${transactions} transactions`);
});

const passing = {
  'a plain error, as of a lost connection': () => Promise.reject(new Error('Connection terminated unexpectedly')),
  'several at once, as of a host with two addresses': () => Promise.reject(new AggregateError([], 'ECONNREFUSED')),
  'a deadlock': (tx: Queryable) =>
    tx.query({ text: `DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$` }),
};

for (const [name, trouble] of Object.entries(passing)) {
  test(`transient trouble: no item is given up: ${name}`, async (t) => {
    const { db, clock } = await openWithPending(t, 4);
    const applied: unknown[] = [];
    let troubles = 0;
    const pending = new PendingPayloads({
      db,
      clock,
      log: pino({ level: 'silent' }),
      accounts: { findByWabaId: () => ({}) } as unknown as Accounts,
      people: createPeople({ db, clock }),
      settings: NO_STOP_WORDS,
      inboundCounted: () => {},
      followers: [
        {
          fields: [],
          async follow(tx, told) {
            const indexes = told.map(({ value }) => value.index);
            if (indexes.includes(3)) throw new RangeError('cannot apply 3');
            // The bad item makes the others run separately from it. The trouble comes then, twice.
            if (troubles < 2) {
              troubles += 1;
              await trouble(tx);
            }
            applied.push(...indexes);
          },
        },
      ],
    });
    pending.start();
    t.after(() => pending.stop());
    assert.equal(await findFailure(db, clock), 'cannot apply 3');
    assert.equal(troubles, 2);
    assert.deepEqual(applied, [0, 1, 2]);
  });
}
