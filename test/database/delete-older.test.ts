import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteOlder } from '../../src/database/days/delete-older.ts';
import { openTestDatabase } from '../harness/database.ts';

test('older rows: all deleted; rows locked by another session are skipped', async (t) => {
  const db = await openTestDatabase(t);
  await db.query({
    text: `
      INSERT INTO upstream_digest (digest, received_at)
      SELECT lpad(to_hex(n), 32, '0')::uuid, to_timestamp(n) FROM generate_series(1, 12000) n`,
  });
  const left = async () => {
    const rows = await db.query<{ second: number }>({
      text: 'SELECT extract(epoch FROM received_at)::int AS second FROM upstream_digest ORDER BY 1 LIMIT 3',
    });
    return rows.map(({ second }) => second);
  };
  await db.transaction(async (tx) => {
    await tx.query({ text: 'SELECT FROM upstream_digest WHERE received_at = to_timestamp(17) FOR UPDATE' });
    await deleteOlder(db, 'upstream_digest', 'received_at', 11_001_000);
  });
  assert.deepEqual(await left(), [17, 11_001, 11_002]);
  await deleteOlder(db, 'upstream_digest', 'received_at', 11_001_000);
  assert.deepEqual(await left(), [11_001, 11_002, 11_003]);
});
