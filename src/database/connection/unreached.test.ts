import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { isUnreached } from './unreached.ts';

const systemError = (code: string) => Object.assign(new Error(`getaddrinfo ${code} postgres`), { code });

test('isUnreached: PostgreSQL without a name, address or open port → true', async () => {
  for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'])
    assert.equal(isUnreached(systemError(code)), true, code);
  const client = new pg.Client({ host: '127.0.0.1', port: 1, user: 'x' });
  const refused = await client.connect().catch((error: unknown) => error);
  assert.equal(isUnreached(refused), true, String(refused));
});

test('isUnreached: broken connection, or none made in time → true', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 1, user: 'x' });
  await client.connect().catch(() => {});
  const gone = await client.query('SELECT 1').catch((error: unknown) => error);
  assert.equal(isUnreached(gone), true, String(gone));
  assert.equal(isUnreached(new Error('timeout exceeded when trying to connect')), true);
});

test("isUnreached: PostgreSQL's own error, a defect or no error → false", () => {
  const said = new pg.DatabaseError('terminating connection', 0, 'error');
  said.code = '57P01';
  for (const error of [said, new TypeError('x is not a function'), systemError('EACCES'), 'ECONNREFUSED', undefined])
    assert.equal(isUnreached(error), false, String(error));
});
