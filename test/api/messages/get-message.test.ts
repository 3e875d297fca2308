import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  call,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  readMessage,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

const COMPONENTS = [{ type: 'BODY', parameters: [{ type: 'text', text: 'A-1042' }] }];
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('reading one message', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const get = (id: string, caller: Tenant = tenant) => call(gateway, caller, 'GET', `/v1/messages/${id}`);

  it('shows a template with every field of api-rules#message once it was read', async () => {
    const to = freshRecipient();
    const answer = await send(gateway, tenant, templateTo(to, 'order_update', { components: COMPONENTS }));
    const id = answer.json.messages[0].id as string;
    const message = await untilStatus(gateway, tenant, id, 'read');
    const [record] = sendsTo(gateway, to);
    assert.equal(record?.outcome.kind, 'accepted');
    const { conversation_id, user_id, sent_at, delivered_at, read_at, created_at, ...rest } = message;
    assert.deepEqual(rest, {
      id,
      account_id: tenant.accountId,
      message_id: record.outcome.wamid,
      direction: 'outbound',
      origin: 'api',
      message_type: 'template',
      recipient_phone: to.slice(1),
      sender_phone: tenant.phoneNumber,
      template_name: 'order_update',
      content: { template_name: 'order_update', language: 'en_US', to },
      components: COMPONENTS,
      status: 'read',
      upstream_status: null,
      conversation_category: 'utility',
      pricing_type: 'regular',
    });
    assert.equal(typeof conversation_id, 'string');
    assert.match(user_id, /^[A-Z]{2}\.[A-Za-z0-9]+$/);
    for (const at of [sent_at, delivered_at, read_at, created_at]) assert.match(at, ISO_UTC);
    assert.ok(delivered_at <= read_at, `${delivered_at} ${read_at}`);
  });

  it('shows times that have not come as null', async () => {
    const paused = await createTenant(gateway);
    await pause(gateway, paused);
    const message = await readMessage(gateway, paused, await sendTemplate(gateway, paused, freshRecipient()));
    assert.equal(message.status, 'queued');
    for (const field of ['message_id', 'pricing_type', 'sent_at', 'delivered_at', 'read_at']) {
      assert.equal(message[field], null, field);
    }
    assert.deepEqual(message.components, []);
    assert.match(message.created_at, ISO_UTC);
    assert.equal('error_code' in message || 'error_message' in message, false);
  });

  it('shows other types by their own contents, without template fields', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const text = `{"to":"${to}","type":"text","text":{"body":"caf\\u00e9","preview_url":false,"n":12345678901234567890}}`;
    const answer = await send(gateway, tenant, text);
    const found = await get(answer.json.messages[0].id);
    assert.equal('template_name' in found.json || 'components' in found.json, false);
    assert.equal(found.json.conversation_category, 'service');
    assert.ok(
      found.text.includes(
        `"content":{"to":"${to}","text":{"body":"caf\\u00e9","preview_url":false,"n":12345678901234567890}}`,
      ),
      found.text,
    );
  });

  it('shows template parameters to the last digit', async () => {
    const components = '[{"type":"body","parameters":[{"type":"text","text":"A"}],"n":1.0}]';
    const text = `{"to":"${freshRecipient()}","type":"template","template":{"name":"order_update","components":${components}}}`;
    const answer = await send(gateway, tenant, text);
    assert.ok((await get(answer.json.messages[0].id)).text.includes(`"components":${components}`));
  });

  it('shows components as a list of objects, whatever was sent', async () => {
    for (const components of [null, 'x', 7, {}, undefined, [null], [{ type: 'body' }, 1], [[]]]) {
      const id = await sendTemplate(gateway, tenant, freshRecipient(), 'spring_sale', {
        template: { name: 'spring_sale', language: { code: 'en_US' }, components },
      });
      assert.deepEqual((await readMessage(gateway, tenant, id)).components, []);
    }
  });

  it('shows error_code and error_message as strings only if the message failed', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'error', code: 131026 }, scope: { recipient: to.slice(1) } });
    const message = await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'failed');
    assert.equal(message.error_code, '131026');
    assert.equal(typeof message.error_message, 'string');
  });

  it('shows an inbound message by its id, from the person to the number', async () => {
    const from = freshRecipient();
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from, text: 'Hi' });
    const [row] = await gateway.app.db.query<{ id: string }>({
      text: 'SELECT id FROM message WHERE wamid = $1',
      values: [wamid],
    });
    const message = await readMessage(gateway, tenant, row!.id);
    const outbound = await readMessage(gateway, tenant, await sendTemplate(gateway, tenant, from));
    assert.partialDeepStrictEqual(message, {
      direction: 'inbound',
      message_id: wamid,
      message_type: 'text',
      recipient_phone: tenant.phoneNumber,
      sender_phone: from.slice(1),
      content: { text: { body: 'Hi' } },
      conversation_id: outbound.conversation_id,
    });
    assert.equal((await get(row!.id, other)).status, 404);
  });

  it('takes a UUID in upper case and under any Graph version prefix of its collection', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    assert.equal((await get(id.toUpperCase())).json.id, id);
  });

  it("answers 400 INVALID_ID for anything but a UUID, the upstream's id included", async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id } = await until('it has a wamid', async () => {
      const message = await readMessage(gateway, tenant, id);
      return message.message_id === null ? undefined : message;
    });
    for (const bad of [
      message_id,
      '1',
      'x',
      `${id}0`,
      id.slice(1),
      id.replaceAll('-', ''),
      `{${id}}`,
      `${id}\n`,
      id.replace(/^./, 'g'),
      'x'.repeat(10_000),
      'null',
      '%00',
      '%F0%9F%92%A9',
    ]) {
      assertError(await get(bad.includes('%') ? bad : encodeURIComponent(bad)), 400, 'INVALID_ID', 100);
    }
  });

  it('answers 404 NOT_FOUND in the same bytes for a foreign message and an unknown one', async () => {
    const foreign = await sendTemplate(gateway, other, freshRecipient());
    assert.equal((await get(foreign, other)).status, 200);
    const texts = new Set<string>();
    for (const id of [
      foreign,
      foreign.toUpperCase(),
      '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
      '00000000-0000-0000-0000-000000000000',
      '00000000-0000-0000-0000-000000000001',
      '12345678-1234-1234-1234-123456789012',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
      crypto.randomUUID(),
    ]) {
      const answer = await get(id);
      assertError(answer, 404, 'NOT_FOUND');
      texts.add(textWithoutRequestId(answer));
    }
    assert.equal(texts.size, 1, [...texts].join('\n'));
  });

  it('answers 401 before it reveals anything about the id', async () => {
    for (const id of ['x', 'x'.repeat(10_000), '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30']) {
      assertError(await call(gateway, undefined, 'GET', `/v1/messages/${id}`), 401, 'UNAUTHORIZED', 190);
    }
  });

  it('is the same for every key of the organization', async () => {
    const { key } = await issueKey(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    assert.equal((await get(id, { ...tenant, apiKey: key })).status, 200);
  });

  it('never shows a text of another organization to the same person', async () => {
    const to = freshRecipient();
    for (const sender of [tenant, other]) {
      await gateway.simulator.world.inbound({ phoneNumberId: sender.phoneNumberId, from: to });
    }
    const mine = (await send(gateway, tenant, textTo(to, 'mine'))).json.messages[0].id;
    const theirs = (await send(gateway, other, textTo(to, 'theirs'))).json.messages[0].id;
    assert.notEqual(
      (await readMessage(gateway, tenant, mine)).conversation_id,
      (await readMessage(gateway, other, theirs)).conversation_id,
    );
    assert.equal((await get(theirs)).status, 404);
  });
});
