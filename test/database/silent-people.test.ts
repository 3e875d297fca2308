import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWindows, sweepWindows } from '../../src/conversations/index.ts';
import type { Queryable } from '../../src/database/database.ts';
import { openTestDatabase } from '../harness/database.ts';
import { until } from '../harness/tenant.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const ORGANIZATION = '0199c0de-0000-7000-8000-000000000001';

const db = await openTestDatabase({ after });

/** Records that these people wrote to number 1 so many days before `nowMs`. */
async function writeTo(
  queryable: Queryable,
  nowMs: number,
  people: { contact: number; daysAgo: number }[],
): Promise<void> {
  await openWindows(
    queryable,
    people.map(({ contact, daysAgo }) => ({
      organizationId: ORGANIZATION,
      numberId: 1,
      of: { contact: String(contact), name: String(contact), wabaId: '7' },
      atMs: nowMs - daysAgo * DAY_MS,
      by: 'message',
    })),
  );
}

async function listWriters(): Promise<number[]> {
  const rows = await db.query<{ contact: number }>({ text: 'SELECT contact FROM conversation ORDER BY contact' });
  return rows.map(({ contact }) => contact);
}

test('people silent for days: forgotten in any number; those with open windows: kept', async () => {
  const nowMs = Date.now();
  const people = Array.from({ length: 20_000 }, (_, contact) => ({
    contact,
    daysAgo: contact % 5_000 === 4_999 ? 0.9 : 3,
  }));
  await writeTo(db, nowMs, people);
  await sweepWindows(db, nowMs - 2 * DAY_MS);
  assert.deepEqual(await listWriters(), [4_999, 9_999, 14_999, 19_999]);
  await db.query({ text: 'DELETE FROM conversation' });
});

test('a window that opens during its cleanup: stays open, and neither side waits', async () => {
  const nowMs = Date.now();
  await writeTo(db, nowMs, [
    { contact: 1, daysAgo: 3 },
    { contact: 2, daysAgo: 3 },
  ]);
  await db.transaction(async (tx) => {
    await writeTo(tx, nowMs, [{ contact: 1, daysAgo: 0 }]);
    await sweepWindows(db, nowMs - 2 * DAY_MS);
  });
  assert.deepEqual(await listWriters(), [1]);

  await writeTo(db, nowMs, [{ contact: 2, daysAgo: 3 }]);
  let opened: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await sweepWindows(tx, nowMs - 2 * DAY_MS);
    opened = writeTo(db, nowMs, [{ contact: 2, daysAgo: 0 }]);
    await until('who writes waits for the row to be gone', async () => {
      const waiting = await tx.query({ text: 'SELECT FROM pg_locks WHERE NOT granted' });
      return waiting.length > 0 || undefined;
    });
  });
  await opened;
  assert.deepEqual(await listWriters(), [1, 2]);
});
