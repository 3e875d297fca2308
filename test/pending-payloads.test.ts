import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Accounts } from '../src/accounts/index.ts';
import { sha256Hex } from '../src/core/digest.ts';
import type { Database } from '../src/database/database.ts';
import { PendingPayloads } from '../src/inbound-webhooks/pending-payloads.ts';
import { journalPayloads } from '../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../src/maintenance.ts';
import { openTestDatabase } from './harness/database.ts';
import { makeEventDays } from './harness/event-days.ts';
import { createManualClock } from './harness/manual-clock.ts';
import { until } from './harness/tenant.ts';

const ITEMS = 4_000;
const BAD = [7, 3_210];

test('of a payload of thousands of items all but the bad ones are applied, in few transactions', async (t) => {
  const db = await openTestDatabase(t);
  const clock = createManualClock();
  await preparePartitions({ db, clock });
  await makeEventDays(db);
  await db.query({
    text: `
      WITH one AS (INSERT INTO organization (id, name, created_at) VALUES (gen_random_uuid(), 'One', now()) RETURNING id)
      INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, '1', '', now() FROM one`,
  });
  const changes = Array.from({ length: ITEMS }, (_, index) => ({ field: 'test', value: { index } }));
  const payload = Buffer.from(JSON.stringify({ entry: [{ id: '1', time: 1_790_000_000, changes }] }));
  const item = { payload, digest: sha256Hex(payload).slice(0, 32), receivedAtMs: clock.now(), failure: undefined };
  await journalPayloads(db, [item], true);

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
    accounts: {} as Accounts,
    inboundCounted: () => {},
    followers: [
      async (_tx, told) => {
        const bad = told.find(({ value }) => BAD.includes(value.index as number));
        if (bad !== undefined) throw new RangeError(`cannot apply ${bad.value.index}`);
      },
    ],
  });
  pending.start();
  clock.advance(1_000);
  const failure = await until('the payload is worked off', async () => {
    const rows = await db.query<{ failure: string }>({
      text: 'SELECT failure FROM upstream_journal WHERE NOT pending',
    });
    return rows[0]?.failure;
  });
  await pending.stop();
  assert.equal(failure, 'cannot apply 7; cannot apply 3210');
  const [claimed] = await db.query<{ count: number }>({ text: 'SELECT count(*)::int FROM upstream_digest' });
  assert.equal(claimed?.count, 1 + ITEMS - BAD.length);
  assert.ok(transactions < 100, `${transactions} transactions`);
});
