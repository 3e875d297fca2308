import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/database/database.ts';
import { OpenTransactions } from '../../src/database/days/open-transactions.ts';
import { createTestDatabase } from '../harness/database.ts';

test('a transaction left open in any database: reported once', async (t) => {
  const [own, foreign] = await Promise.all([createTestDatabase(t), createTestDatabase(t)]);
  const db = openDatabase({ connectionString: own.connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const other = new pg.Client({ connectionString: foreign.connectionString, application_name: 'forgetful' });
  // The drop of the database ends its connections.
  other.on('error', () => {});
  await other.connect();
  t.after(() => other.end());
  const warnings: { pid?: number; database?: string; application?: string }[] = [];
  const log = { warn: (facts: (typeof warnings)[number]) => void warnings.push(facts) };
  let nowMs = 0;
  const transactions = new OpenTransactions({ db, log, clock: { monotonicMs: () => nowMs } });

  await other.query('BEGIN');
  const { rows } = await other.query('SELECT pg_backend_pid() AS pid, pg_current_xact_id()');
  const isOurs = ({ pid }: { pid?: number }) => pid === rows[0].pid;
  const look = async () => {
    await db.query({ text: 'SELECT pg_current_xact_id()' });
    await transactions.look();
  };
  await look();
  nowMs += 59_999;
  await look();
  assert.equal(warnings.length, 0, 'a minute has not passed');
  // Other tests may have older transactions open.
  for (; !warnings.some(isOurs); nowMs += 60_000) await look();
  await look();
  const [told, again] = warnings.filter(isOurs);
  assert.equal(told?.application, 'forgetful');
  assert.equal(told?.database, new URL(foreign.connectionString).pathname.slice(1));
  assert.equal(again, undefined);

  await other.query('COMMIT');
  nowMs += 60_000;
  await look();
  assert.equal(warnings.filter(isOurs).length, 1);
});
