import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../../src/database/database.ts';
import { startGateway } from '../harness/gateway.ts';
import { createTenant, freshRecipient, sendTemplate, untilStatus } from '../harness/tenant.ts';

test('a database that does not answer: gets no query again before it has answered', async (t) => {
  const gateway = await startGateway();
  t.after(() => gateway.stop());
  const tenant = await createTenant(gateway);
  const id = await sendTemplate(gateway, tenant, freshRecipient());
  await untilStatus(gateway, tenant, id, 'read');

  const { db } = gateway.app;
  const query = db.query.bind(db) as Queryable['query'];
  const answering = Promise.withResolvers<void>();
  const asked = new Map<string, number>();
  db.query = async (statement) => {
    const question = `${statement.name ?? statement.text} ${JSON.stringify(statement.values)}`;
    asked.set(question, (asked.get(question) ?? 0) + 1);
    await answering.promise;
    return await query(statement);
  };
  // Every 0.7 s, caches are checked against the database or treated as outdated.
  await delay(2_500);
  answering.resolve();
  db.query = query;
  assert.deepEqual(
    [...asked].filter(([, times]) => times > 1),
    [],
  );
});
