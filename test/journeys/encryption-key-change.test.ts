import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { runServeProcess } from '../harness/serve-process.ts';
import { call, createTenant, type Served, sendNow, type Tenant, until } from '../harness/tenant.ts';

// Follows the procedure of docs/operations.md.
test('the encryption key changes by restarts: no token or signing secret is lost', async (t) => {
  const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const restartable = await createRestartableGateway({ FETCH_ALLOW_CIDRS: '127.0.0.0/8' });
  t.after(() => restartable.close());
  await using receiver = await startReceiver();

  let tenants: Tenant[] | undefined;
  let webhook = '';
  let secrets: string[] = [];
  const setUp = async (gateway: Served) => {
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const body = { url: receiver.url, events: ['message.received'] };
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body });
    webhook = `/v1/webhooks/${created.json.id}`;
    const rotated = await call(gateway, tenant, 'POST', `${webhook}/rotate-secret`);
    secrets = [created.json.secret, rotated.json.secret];
    return [tenant, other];
  };

  for (const keys of [oldKey, `${oldKey},${newKey}`, `${newKey},${oldKey}`, newKey]) {
    restartable.environment.ENCRYPTION_KEY = keys;
    const gateway = await restartable.start();
    tenants ??= await setUp(gateway);
    for (const tenant of tenants) await sendNow(gateway, tenant);
    const came = receiver.received.length;
    await call(gateway, tenants[0] as Tenant, 'POST', `${webhook}/test`);
    const { headers, body } = await until('the test event came', () => receiver.received[came]);
    for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
    gateway.kill('SIGTERM');
    await gateway.ended;
  }
  const back = await runServeProcess(restartable.dataDir, { ...restartable.environment, ENCRYPTION_KEY: oldKey });
  assert.match(back.output, /The encryption key .* is not the one this database was filled with/);
});
