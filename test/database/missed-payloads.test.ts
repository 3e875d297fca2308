import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Accounts } from '../../src/accounts/index.ts';
import { sha256Hex } from '../../src/core/digest.ts';
import { takeSnapshot } from '../../src/database/changes/change-queries.ts';
import type { Queryable } from '../../src/database/database.ts';
import { MissedPayloads } from '../../src/inbound-webhooks/journal/missed-payloads.ts';
import { journalPayloads, markTold } from '../../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const LOOKED_AT_AT_ONCE = 2;
const AFTERWARDS_MS = 2_000;

async function openJournal(t: TestContext) {
  const db = await openTestDatabase(t);
  const clock = createManualClock();
  await preparePartitions({ db, clock });
  /** Journals a change of an account as applied, by a node whose clock is `aheadMs` ahead. */
  const tell = async (wabaId: string, text: string, aheadMs = 0, tx: Queryable = db) => {
    const payload = Buffer.from(JSON.stringify({ entry: [{ id: wabaId, text }] }));
    const digest = sha256Hex(payload).slice(0, 32);
    await journalPayloads(
      tx,
      [{ payload, digest, receivedAtMs: clock.now() + aheadMs, failure: undefined, isReadable: true }],
      false,
    );
  };
  const listPending = async () => {
    const text = 'SELECT payload FROM upstream_journal WHERE pending ORDER BY id';
    const rows = await db.query<{ payload: Buffer }>({ text });
    return rows.map(({ payload }) => JSON.parse(payload.toString()).entry[0].text as string);
  };
  return { db, clock, tell, listPending };
}

test('changes committed after a snapshot: reapplied for this account only, by any clock', async (t) => {
  const { db, tell, listPending } = await openJournal(t);
  await tell('71', 'before', 600_000);
  let since = '';
  await db.transaction(async (tx) => {
    await tell('71', 'under way', 0, tx);
    since = await takeSnapshot(db);
  });
  for (const text of ['one', 'two', 'three']) {
    await tell('71', text, -600_000);
    await tell('72', `${text} of another`);
  }
  let place: Parameters<typeof markTold>[3] | undefined = { xid: '0', id: 0 };
  while (place !== undefined) place = await markTold(db, '71', since, place, LOOKED_AT_AT_ONCE);
  assert.deepEqual(await listPending(), ['under way', 'one', 'two', 'three']);
});

test('a disconnected account: nothing is applied again; a failure is logged', async (t) => {
  const { db, clock, tell, listPending } = await openJournal(t);
  const since = await takeSnapshot(db);
  for (const wabaId of ['71', '72', '73']) await tell(wabaId, wabaId);
  const { promise: allAsked, resolve: askedAll } = Promise.withResolvers<void>();
  let asked = 0;
  const findWaba = (async (organizationId: string, wabaId: string) => {
    asked += 1;
    if (asked === 3) askedAll();
    if (wabaId === '73') throw new Error('away');
    return organizationId === 'mine' && wabaId === '71' ? { organizationId, wabaId } : undefined;
  }) as unknown as Accounts['findWaba'];
  const warned: unknown[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line).wabaId) });
  const missed = new MissedPayloads({ accounts: { findWaba }, db, clock, log });
  missed.applySoon({ organizationId: 'mine', wabaId: '71' }, since);
  missed.applySoon({ organizationId: 'other', wabaId: '72' }, since);
  missed.applySoon({ organizationId: 'other', wabaId: '73' }, since);
  clock.advance(AFTERWARDS_MS);
  await allAsked;
  await missed.stop();
  assert.deepEqual(await listPending(), ['71']);
  assert.deepEqual(warned, ['73']);
});
