import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { isPassing } from '../../src/database/failures.ts';
import { createTestDatabase } from '../harness/database.ts';
import { withDatabase } from '../harness/template-database.ts';

async function failureOf(t: TestContext, connectionString: string, text: string): Promise<unknown> {
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  return db.query({ text }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a server that rejects this user: counts as transient', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const wrong = new URL(connectionString);
  wrong.password = 'changed-meanwhile';
  const closed = await createTestDatabase(t);
  const owner = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => owner.close());
  const name = new URL(closed.connectionString).pathname.slice(1);
  await owner.query({ text: `ALTER DATABASE ${name} ALLOW_CONNECTIONS false` });
  for (const refused of [wrong.href, withDatabase(connectionString, 'restored_soon'), closed.connectionString]) {
    const failure = await failureOf(t, refused, 'SELECT 1');
    assert.ok(failure instanceof Error && isPassing(failure), String(failure));
  }
});

test('a revoked right: transient; a wrong statement: permanent', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  assert.ok(isPassing(await failureOf(t, connectionString, 'SELECT * FROM pg_authid')));
  for (const text of ['SELECT 1 / 0', 'SELECT nothing', `SELECT 'x'::int`]) {
    assert.equal(isPassing(await failureOf(t, connectionString, text)), false, text);
  }
});

test('a missing day partition: transient; an invalid value: permanent', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const insert = (table: string, columns: string, values: string) =>
    failureOf(t, connectionString, `INSERT INTO ${table} (${columns}) VALUES (${values})`);
  const columns = 'organization_id, id, number_id, direction, type, body, status, accepted_at';
  const values = `gen_random_uuid(), '00000000-0000-7000-8000-000000000000', 1, 0, 'text', '{}', 0, now()`;
  for (const table of ['message', 'message_19700101']) {
    const failure = await insert(table, columns, values);
    assert.ok(failure instanceof Error && isPassing(failure), String(failure));
  }
  const negative = await insert('organization', 'id, name, weight, created_at', `gen_random_uuid(), 'x', -1, now()`);
  assert.equal(isPassing(negative), false, String(negative));
});
