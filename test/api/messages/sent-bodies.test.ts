import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endBefore, fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  askAdmin,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendTemplate,
  type Tenant,
  textTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

describe('an organization that keeps no bodies of sent messages', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const receiver = fill(() => startReceiver((_request, response) => response.writeHead(200).end()));
  endBefore(gateway, async () => {
    await receiver[Symbol.asyncDispose]();
  });

  const keepBodies = async (value: string) => {
    const answer = await askAdmin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { keep_bodies: value });
    assert.deepEqual([answer.status, answer.json.keep_bodies], [200, value], answer.text);
  };
  const converse = async (to: Tenant) => {
    const from = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: to.phoneNumberId, from, text: 'hello' });
    return from;
  };
  const untilBlank = (id: string) =>
    until('the body is removed', async () => {
      const { content } = await readMessage(gateway, tenant, id);
      return content.text === undefined ? content : undefined;
    });
  const bodyOf = async (id: string) => {
    const rows = await gateway.app.db.query<{ body: string }>({
      text: 'SELECT body FROM message WHERE id = $1',
      values: [id],
    });
    return rows[0]?.body;
  };

  it('a sent message: body removed, recipient and status kept; another organization keeps all', async () => {
    const person = await converse(tenant);
    const before = await send(gateway, tenant, textTo(person, 'before the change'), { query: '?sync=true' });
    await keepBodies('until_sent');
    await createWebhook(gateway, tenant, { url: receiver.url });
    const sent = await send(gateway, tenant, textTo(person, 'secret words'), { query: '?sync=true' });
    const id = sent.json.messages[0].id;
    assert.deepEqual(await untilBlank(id), { to: person });
    assert.deepEqual(await untilBlank(before.json.messages[0].id), { to: person });
    const message = await untilStatus(gateway, tenant, id, 'read');
    assert.equal(message.recipient_phone, person.slice(1));
    await until('the webhooks arrived', () =>
      receiver.received.some(({ body }) => body.includes(id) && body.includes('message.read')) ? true : undefined,
    );
    const theirs = await converse(other);
    const kept = await send(gateway, other, textTo(theirs, 'kept words'), { query: '?sync=true' });
    await untilStatus(gateway, other, kept.json.messages[0].id, 'read');
    assert.equal((await readMessage(gateway, other, kept.json.messages[0].id)).content.text.body, 'kept words');
  });

  it('a message that waits: keeps its body until it is sent, whole', async () => {
    await keepBodies('until_sent');
    const person = await converse(tenant);
    await pause(gateway, tenant);
    const waiting = await send(gateway, tenant, textTo(person, 'waits'));
    const id = waiting.json.messages[0].id;
    await resume(gateway, tenant);
    await untilBlank(id);
    const record = await gateway.simulator.world.sends.waitFor((one) => one.waId === person.slice(1));
    assert.ok(String(record.body).includes('waits'), String(record.body));
  });

  it('a template: its body is removed, its name stays; received messages stay', async () => {
    await keepBodies('until_sent');
    const person = await converse(tenant);
    const template = await sendTemplate(gateway, tenant, person);
    await until('the template is blank', async () =>
      (await bodyOf(template)) === `{"to":"${person}"}` ? true : undefined,
    );
    const shown = await readMessage(gateway, tenant, template);
    assert.deepEqual([shown.template_name !== null, shown.components], [true, []]);
    const rows = await gateway.app.db.query<{ kept: number }>({
      text: `SELECT count(*)::int AS kept FROM message WHERE organization_id = $1 AND direction = 1 AND position('hello' IN body) > 0`,
      values: [tenant.organizationId],
    });
    assert.ok((rows[0]?.kept ?? 0) > 0);
  });
});
