import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { admin, call, createTenant, freshRecipient, sendTemplate, until, untilStatus } from '../harness/tenant.ts';
import { createTestTenant } from '../harness/test-tenant.ts';

test('test organization and SIGKILL: queued messages and own templates survive', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const gateway = await createRestartableGateway({
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  t.after(() => gateway.close());
  const before = await gateway.start();
  const live = await createTenant(before);
  const tested = await createTestTenant(before);
  const created = await call(before, tested, 'POST', `/v1/${tested.wabaId}/message_templates`, {
    body: {
      ...{ name: 'thanks', language: 'en_US', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Thank you.' }],
    },
  });
  assert.equal(created.status, 200, created.text);
  await until('the template is approved', async () => {
    const { data } = (await call(before, tested, 'GET', '/v1/templates?name=thanks')).json;
    return data[0]?.status === 'APPROVED' || undefined;
  });
  await admin(before, 'PATCH', `/numbers/${tested.phoneNumberId}`, { paused: true });
  const ids = [];
  for (const name of ['thanks', 'hello_world']) ids.push(await sendTemplate(before, tested, freshRecipient(), name));
  before.kill('SIGKILL');
  await before.ended;

  const after = await gateway.start();
  await admin(after, 'PATCH', `/numbers/${tested.phoneNumberId}`, { paused: false });
  for (const id of ids) await untilStatus(after, tested, id, 'read');
  const to = freshRecipient();
  await untilStatus(after, live, await sendTemplate(after, live, to), 'read');
  assert.deepEqual(
    gateway.simulator.world.sends.list({}).map((sent) => sent.to),
    [to],
  );
});
