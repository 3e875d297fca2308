import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { call, createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../harness/tenant.ts';

describe('the send path', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
  });
  after(() => gateway.stop());

  it('accepts a template, sends the very bytes, and follows it to read', async () => {
    const to = freshRecipient();
    const body = `{ "to":"${to}",  "type":"template","template":{"name":"spring_sale","language":{"code":"en_US"}},"n":12345678901234567890, "d":1.0,"e":"\\u00e9" }`;
    const answer = await send(gateway, tenant, body);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.json.messages[0].message_status, 'queued');
    const id = answer.json.messages[0].id as string;
    const message = await until('the message is read', async () => {
      const found = await call(gateway, tenant, 'GET', `/v1/messages/${id}`);
      return found.json?.status === 'read' ? found.json : undefined;
    });
    assert.ok(message.message_id.startsWith('wamid.'));
    const [record] = gateway.simulator.world.sends.list({ to: to.slice(1) });
    assert.equal(String(record?.body), body.replace('{ ', '{"messaging_product":"whatsapp", '));
  });

  it('answers 200 and the wamid when the caller waits', async () => {
    const answer = await send(gateway, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.messages[0].message_status, 'sent');
    assert.ok(answer.json.messages[0].wamid);
  });

  it('lets free text through only while the window is open', async () => {
    const to = freshRecipient();
    const text = { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'hello' } };
    const closed = await send(gateway, tenant, text);
    assert.equal(closed.status, 403);
    assert.equal(closed.json.code, 'OUTSIDE_24H_WINDOW');
    await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: to.slice(1),
      type: 'text',
    } as never);
    const open = await send(gateway, tenant, text);
    assert.equal(open.status, 202, open.text);
  });
});
