import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Statement } from '../../../src/database/database.ts';
import { WAITING } from '../../../src/messages/queries.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  type Tenant,
  templateTo,
  until,
} from '../../harness/tenant.ts';

describe('a full queue', () => {
  const gateway = useGateway();

  async function boundTo(queueMax: number): Promise<Tenant> {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { queue_max: queueMax });
    return tenant;
  }

  const sendTo = (tenant: Tenant, key?: string) =>
    send(gateway, tenant, templateTo(freshRecipient()), { ...(key && { headers: { 'idempotency-key': key } }) });

  it('refuses with 429 QUEUE_FULL and Retry-After, and accepts again once it has drained', async () => {
    const tenant = await boundTo(3);
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendTo(tenant)));
    assert.deepEqual(
      answers.map((answer) => answer.status).sort(),
      [202, 202, 202, 429, 429, 429, 429, 429],
      'the bound holds for sends that come together',
    );
    const refused = answers.find((answer) => answer.status === 429);
    assert.ok(refused);
    assertError(refused, 429, 'QUEUE_FULL', 80007);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    await resume(gateway, tenant);
    await until('there is room again', async () => ((await sendTo(tenant)).status === 202 ? true : undefined));
  });

  it('answers a repeated Idempotency-Key with the original message, which is queued once', async () => {
    const tenant = await boundTo(2);
    const body = templateTo(freshRecipient());
    const headers = { 'idempotency-key': 'once' };
    const original = await send(gateway, tenant, body, { headers });
    assert.equal(original.status, 202);
    const replays = [await send(gateway, tenant, body, { headers })];
    assert.equal((await sendTo(tenant)).status, 202);
    assert.equal((await sendTo(tenant)).status, 429);
    replays.push(await send(gateway, tenant, body, { headers }));
    for (const replay of replays) {
      assert.equal(replay.status, 202);
      assert.equal(replay.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(replay.json.messages, original.json.messages);
    }
  });

  it('refuses without delay', async (t) => {
    const tenant = await boundTo(1);
    assert.equal((await sendTo(tenant)).status, 202);
    const { db } = gateway.app;
    const { query } = db;
    const lookedFor = new Set<unknown>();
    t.mock.method(db, 'query', (statement: Statement) => {
      const { name, values = [] } = statement;
      if (name?.startsWith('message_find_settled')) for (const { id } of WAITING.parse(values)) lookedFor.add(id);
      return query(statement);
    });
    const refused = await send(gateway, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.equal(refused.status, 429);
    const other = await createTenant(gateway);
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'slow', delayMs: 300 }, scope: { recipient: to.slice(1) } });
    const waited = await send(gateway, other, templateTo(to), { query: '?sync=true' });
    assert.equal(waited.status, 200);
    assert.deepEqual([...lookedFor], [waited.json.messages[0].id]);
  });

  it('uses up no Idempotency-Key, and does not affect another organization', async () => {
    const tenant = await boundTo(1);
    assert.equal((await sendTo(tenant)).status, 202);
    const other = await createTenant(gateway);
    assert.equal((await sendTo(other)).status, 202);
    const body = templateTo(freshRecipient());
    const again = () => send(gateway, tenant, body, { headers: { 'idempotency-key': 'later' } });
    assert.equal((await again()).status, 429);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { queue_max: null });
    const answer = await until('the bound is gone', async () => {
      const tried = await again();
      return tried.status === 202 ? tried : undefined;
    });
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  it('counts messages queued before this process started', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    for (let sent = 0; sent < 4; sent += 1) assert.equal((await sendTo(tenant)).status, 202);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { queue_max: 4 });
    await until('the bound is known', async () => ((await sendTo(tenant)).status === 429 ? true : undefined));
  });
});
