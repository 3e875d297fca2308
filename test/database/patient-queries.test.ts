import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patient } from '../../src/database/connection/patient-queries.ts';
import { openDatabase, type Statement } from '../../src/database/database.ts';
import { sqlStateOf } from '../../src/database/failures.ts';
import { createTestDatabase } from '../harness/database.ts';

test('a statement that PostgreSQL timed out: repeated with more time; no other is', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const pool = openDatabase({ connectionString, connectionsMax: 1, onIdleError: () => {} });
  t.after(() => pool.close());
  const asked: string[] = [];
  const db = {
    ...pool,
    async query<Row extends Record<string, unknown>>(statement: Statement) {
      asked.push(statement.name ?? '');
      // The connection after a failure is a new one.
      await pool.query({ text: "SET statement_timeout = '100ms'" });
      return await pool.query<Row>(statement);
    },
  };
  const slow = { name: 'slow', text: 'SELECT 1 AS one FROM pg_sleep(0.3)' };

  await assert.rejects(db.query(slow), (error) => sqlStateOf(error) === '57014');
  assert.deepEqual(await patient(db).query(slow), [{ one: 1 }]);
  assert.deepEqual(await patient(db).query({ name: 'quick', text: 'SELECT 2 AS two' }), [{ two: 2 }]);
  await assert.rejects(
    patient(db).query({ name: 'wrong', text: 'SELECT 1 / 0' }),
    (error) => sqlStateOf(error) === '22012',
  );
  assert.deepEqual(asked, ['slow', 'slow', 'quick', 'wrong']);
});
