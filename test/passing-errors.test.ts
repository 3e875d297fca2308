import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isPassing, openDatabase } from '../src/database/database.ts';
import { createTestDatabase } from './harness/database.ts';
import { withDatabase } from './harness/test-server.ts';

async function failureOf(t: TestContext, connectionString: string, text: string): Promise<unknown> {
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  return db.query({ text }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a server that does not let this user in may do so later: nothing is given up for it', async (t) => {
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

test('a right that was taken away may be given back, but a wrong statement stays wrong', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  assert.ok(isPassing(await failureOf(t, connectionString, 'SELECT * FROM pg_authid')));
  for (const text of ['SELECT 1 / 0', 'SELECT nothing', `SELECT 'x'::int`]) {
    assert.equal(isPassing(await failureOf(t, connectionString, text)), false, text);
  }
});
