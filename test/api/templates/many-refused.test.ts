import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { QueryResultRow } from 'pg';
import type { Queryable, Statement } from '../../../src/database/database.ts';
import { REFUSED } from '../../../src/messages/queries.ts';
import { startGateway } from '../../harness/gateway.ts';
import { createTenant, freshRecipient, pause, resume, sendTemplate, until, untilStatus } from '../../harness/tenant.ts';

const MESSAGES = 400;

it('template states from many refused messages: recorded in few transactions, one by one', async (t) => {
  const gateway = await startGateway();
  t.after(() => gateway.stop());
  const tenant = await createTenant(gateway, { number: { throughputLevel: 'HIGH' } });
  await pause(gateway, tenant);
  const ids = await Promise.all(
    Array.from({ length: MESSAGES }, () => sendTemplate(gateway, tenant, freshRecipient())),
  );
  const template = gateway.simulator.world.accounts.findTemplateByName(tenant.wabaId, 'spring_sale', 'en_US');
  assert.ok(template);
  template.status = 'PAUSED';
  const { db } = gateway.app;
  const query = db.query.bind(db) as Queryable['query'];
  let [asked, told, running, most] = [0, 0, 0, 0];
  const allFailed = Promise.withResolvers<void>();
  db.query = async <Row extends QueryResultRow>(statement: Statement) => {
    if (!statement.name?.startsWith('message_find_refused_templates')) return await query<Row>(statement);
    asked += 1;
    running += 1;
    most = Math.max(most, running);
    told += REFUSED.parse(statement.values ?? []).length;
    // However slow the refusals are, all but the first are to be recorded after this.
    await allFailed.promise;
    return await query<Row>(statement).finally(() => {
      running -= 1;
    });
  };
  await resume(gateway, tenant);
  for (const id of ids) await untilStatus(gateway, tenant, id, 'failed');
  allFailed.resolve();
  await until('all has been noted', () => (told === MESSAGES && running === 0) || undefined);
  assert.equal(most, 1);
  assert.ok(asked < MESSAGES / 10, `${asked} times`);
});
