import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { AppError } from '../../../src/core/errors.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { createBareServer } from '../../harness/bare-server.ts';

test('failed requests: logged with id and stack; in a database outage, with the same line', async (t) => {
  const lines: { requestId?: string; code: string; reason?: string; err?: { stack?: string } }[] = [];
  let requests = 0;
  const app = await createBareServer({
    log: pino({ timestamp: false, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    newRequestId: () => `r-${++requests}`,
  });
  t.after(() => app.close());
  const db = openDatabase({
    connectionString: 'postgres://user:secret-password@127.0.0.1:1/none',
    onIdleError: () => {},
  });
  t.after(() => db.close());
  app.get('/stored', () => db.query({ text: 'SELECT 1' }));
  app.get('/odd', () => {
    throw new Error('nobody thought of this');
  });
  app.get('/crowded', () => {
    throw new AppError('UNAVAILABLE', 'Too many at once. Try again.');
  });
  assert.equal((await app.inject('/crowded')).statusCode, 503);
  assert.equal(lines.length, 0, 'to refuse is no failure');
  assert.equal((await app.inject('/stored')).statusCode, 503);
  assert.equal((await app.inject('/stored')).statusCode, 503);
  assert.equal((await app.inject('/odd')).statusCode, 500);
  const [stored, storedAgain, odd] = lines;
  assert.deepEqual([stored?.code, stored?.err], ['UNAVAILABLE', undefined]);
  assert.deepEqual(storedAgain, stored);
  assert.match(stored?.reason ?? '', /ECONNREFUSED/);
  assert.doesNotMatch(JSON.stringify(lines), /secret-password/);
  assert.deepEqual([odd?.requestId, odd?.code], ['r-4', 'INTERNAL_ERROR']);
  assert.match(odd?.err?.stack ?? '', /failure-log\.test/);
});
