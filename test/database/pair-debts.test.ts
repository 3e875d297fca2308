import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PairDebts } from '../../src/dispatch/numbers/pair-debts.ts';
import { listPairDebt, savePairDebt } from '../../src/dispatch/queue/pair-debt-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const MINUTE_MS = 60_000;

test('saving pair debts: does not wait for writers of pairs whose debts have passed', async (t) => {
  const db = await openTestDatabase(t);
  const passedAtMs = Date.now() - 20 * MINUTE_MS;
  const owing = { numberId: 1, contact: '3', freeAtMs: Date.now() + MINUTE_MS };
  await db.query({
    text: 'INSERT INTO pair_debt (number_id, contact, free_at) VALUES (1, 2, $1), (1, 1, $1), (1, 3, $1)',
    values: [new Date(passedAtMs)],
  });
  await db.transaction(async (tx) => {
    // Locks as a dispatch does that owes for both pairs, in their order.
    const owe = (contact: number) =>
      tx.query({ text: 'UPDATE pair_debt SET free_at = now() WHERE contact = $1', values: [contact] });
    await owe(1);
    await savePairDebt(db, [owing]);
    await owe(2);
  });
  const left = await db.query<{ contact: number; at: Date }>({
    text: 'SELECT contact, free_at AS at FROM pair_debt ORDER BY contact',
  });
  assert.deepEqual(
    left.map(({ contact }) => contact),
    [1, 3],
  );
  assert.equal(left.at(-1)?.at.getTime(), owing.freeAtMs);
});

test('pair debts that have passed: deleted each minute while no pair uses much of its burst', async (t) => {
  const db = await openTestDatabase(t);
  const clock = createManualClock();
  const debts = new PairDebts({ db, clock, scheduler: { listPairDebt: () => [] } });
  await debts.save([1]);
  await db.query({
    text: 'INSERT INTO pair_debt (number_id, contact, free_at) VALUES (1, 1, $1), (1, 2, $2)',
    values: [new Date(Date.now() - 20 * MINUTE_MS), new Date()],
  });
  const listLeft = () => db.query({ text: 'SELECT contact FROM pair_debt ORDER BY contact' });
  clock.advance(MINUTE_MS - 1);
  await debts.save([1]);
  assert.deepEqual(await listLeft(), [{ contact: 1 }, { contact: 2 }]);
  clock.advance(1);
  await debts.save([1]);
  assert.deepEqual(await listLeft(), [{ contact: 2 }]);
});

test('a debt too far ahead, by a clock set back since: corrected; no other shrinks', async (t) => {
  const db = await openTestDatabase(t);
  const nowMs = Date.now();
  await db.query({
    text: 'INSERT INTO pair_debt (number_id, contact, free_at) VALUES (1, 1, $1), (1, 2, $2)',
    values: [new Date(nowMs + 24 * 60 * MINUTE_MS), new Date(nowMs + 20 * MINUTE_MS)],
  });
  const freeAtMs = nowMs + 2 * MINUTE_MS;
  await savePairDebt(
    db,
    ['1', '2'].map((contact) => ({ numberId: 1, contact, freeAtMs })),
  );
  const left = await listPairDebt(db, [1]);
  assert.deepEqual(left.map((debt) => debt.freeAtMs - nowMs).sort(), [2 * MINUTE_MS, 20 * MINUTE_MS].sort());
});
