import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CHAIN_START } from '../../src/audit/chain-check.ts';
import { dropPastEntries } from '../../src/audit/drop-past-entries.ts';
import { appendRow } from '../../src/audit/queries.ts';
import { verifyChain } from '../../src/audit/verify-chain.ts';
import { newId } from '../../src/core/ids.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW_MS = Date.UTC(2026, 5, 30);
const CHAINS = ['0199c0de-0000-7000-8000-000000000001', '0199c0de-0000-7000-8000-000000000002'] as const;

const db = await openTestDatabase({ after });

test('audit rows past their age: deleted, and the rest of each chain stays verifiable', async () => {
  const clock = createManualClock(NOW_MS);
  const append = (chain: string, atMs: number) =>
    appendRow(db, chain, { id: newId(atMs), at: new Date(atMs).toISOString(), kind: 'change', of_sequence: null }, {});
  const places = [];
  for (let day = 10; day >= 0; day -= 1) places.push(await append(CHAINS[0], NOW_MS - day * DAY_MS));
  await append(CHAINS[1], NOW_MS - 10 * DAY_MS);
  const [first, , third, fourth, fifth] = places;
  await dropPastEntries({ db, clock }, NOW_MS - 7 * DAY_MS);
  const verdict = await verifyChain(db, CHAINS[0], undefined);
  assert.deepEqual([verdict.problem, verdict.rows, verdict.end?.sequence], [undefined, 9, 12]);
  for (const anchor of [first, third, fourth, fifth]) {
    assert.equal((await verifyChain(db, CHAINS[0], anchor)).problem, undefined);
  }
  const wrong = { sequence: third?.sequence ?? 0, digest: CHAIN_START.digest };
  assert.equal((await verifyChain(db, CHAINS[0], wrong)).problem?.sequence, 3);

  clock.advance(20 * DAY_MS);
  await dropPastEntries({ db, clock }, clock.now() - 7 * DAY_MS);
  for (const chain of CHAINS) assert.equal((await verifyChain(db, chain, undefined)).problem, undefined);
  assert.equal((await verifyChain(db, CHAINS[0], fifth)).problem, undefined);

  await db.query({ text: `DELETE FROM audit_entry WHERE chain = $1 AND kind = 'change'`, values: [CHAINS[0]] });
  await db.query({
    text: `DELETE FROM audit_entry WHERE chain = $1 AND sequence = (SELECT min(sequence) FROM audit_entry WHERE chain = $1)`,
    values: [CHAINS[0]],
  });
  assert.notEqual((await verifyChain(db, CHAINS[0], undefined)).problem, undefined);
});
