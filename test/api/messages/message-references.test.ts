import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import { assertError } from '../../harness/assert-error.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  sendNow,
  sendTemplate,
  type Tenant,
  templateTo,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe("messages named by the gateway's ids", () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway({ simulator: { limits: 'off' } });
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
  });
  after(() => gateway.stop());

  /** Sends the text, and returns the bytes that reached the platform for this person. */
  const forwarded = async (to: string, text: string) => {
    const { total } = gateway.simulator.world.sends;
    const answer = await send(gateway, tenant, text);
    assert.equal(answer.status, 202, answer.text);
    const sent = await gateway.simulator.world.sends.waitFor((one) => one.sequence > total && one.waId === to.slice(1));
    return String(sent.body);
  };
  /** Waits until the person's message is stored, and returns its id. */
  const receivedFrom = async (from: string, content: object = {}) => {
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from, ...content });
    const { json } = await call(gateway, tenant, 'GET', `/v1/messages?message_id=${wamid}`);
    return { id: json.data[0].id as string, wamid };
  };

  it('reply: context has the id of a send → forwarded with its wamid, all other bytes kept', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const { id, wamid } = await sendNow(gateway, tenant, to);
    const text = (reference: string) =>
      `{ "messaging_product":"whatsapp", "context" : {"message_id": "${reference}" ,"x":1.0},"to":"${to}","type":"text","text":{"body":"${id} \\u00e9"}}`;
    assert.equal(await forwarded(to, text(id)), text(wamid));
    assert.equal(await forwarded(to, text(id.toUpperCase())), text(wamid));
    assert.equal(await forwarded(to, text(wamid)), text(wamid));
  });

  it("reaction and reply: id of a person's message → forwarded with its wamid", async () => {
    const to = freshRecipient();
    const { id, wamid } = await receivedFrom(to);
    const text = (reference: string) =>
      `{"to":"${to}","messaging_product":"whatsapp","type":"reaction","reaction":{"emoji":"\\ud83d\\udc4d","message_id":"${reference}"}}`;
    assert.equal(await forwarded(to, text(id)), text(wamid));
    const reply = (reference: string) =>
      `{"messaging_product":"whatsapp","context":{"message_id":"${reference}"},"to":"${to}","type":"text","text":{"body":"hi"}}`;
    assert.equal(await forwarded(to, reply(id)), reply(wamid));
  });

  it("unknown id and another organization's → forwarded as sent", async () => {
    const to = await writtenRecipient(gateway, tenant);
    const foreign = await sendNow(gateway, other);
    for (const id of [newId(), foreign.id]) {
      const text = `{"messaging_product":"whatsapp","context":{"message_id":"${id}"},"to":"${to}","type":"text","text":{"body":"hi"}}`;
      assert.equal(await forwarded(to, text), text);
    }
  });

  it('message without a wamid yet → 409 with the reason, until it is sent', async () => {
    const to = await writtenRecipient(gateway, tenant);
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, to);
    const reply = { to, type: 'text', text: { body: 'hi' }, context: { message_id: id } };
    const refused = await send(gateway, tenant, reply, { headers: { 'idempotency-key': 'reply' } });
    assertError(refused, 409, 'CONFLICT');
    assert.match(refused.json.message, /still queued/);
    const read = await send(gateway, tenant, { status: 'read', message_id: id });
    assertError(read, 409, 'CONFLICT');
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'sent', 'delivered', 'read');
    const accepted = await send(gateway, tenant, reply, { headers: { 'idempotency-key': 'reply' } });
    assert.equal(accepted.status, 202, accepted.text);
    await untilStatus(gateway, tenant, accepted.json.messages[0].id, 'sent', 'delivered', 'read');
  });

  it('message that failed without a wamid → 409 that says so', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const failed = await send(gateway, tenant, templateTo('+15550101026'));
    const { id } = await untilStatus(gateway, tenant, failed.json.messages[0].id, 'failed');
    const answer = await send(gateway, tenant, { to, type: 'text', text: { body: 'hi' }, context: { message_id: id } });
    assertError(answer, 409, 'CONFLICT');
    assert.match(answer.json.message, /failed/);
  });

  it("mark as read and typing: id of a person's message → forwarded with its wamid", async () => {
    const { id, wamid } = await receivedFrom(freshRecipient());
    const text = (reference: string) =>
      `{"messaging_product":"whatsapp","status":"read","message_id":"${reference}","typing_indicator":{"type":"text"}}`;
    for (const method of ['POST', 'PUT']) {
      const path = `/v1/${tenant.phoneNumberId}/messages`;
      const answer = await call(gateway, tenant, method, path, { body: text(id) });
      assert.deepEqual([answer.status, answer.json], [200, { success: true }], answer.text);
    }
    const marked = gateway.simulator.world.sends.list().filter(({ type }) => type === 'mark_read');
    assert.deepEqual(
      marked.map(({ body }) => String(body)),
      [text(wamid), text(wamid)],
    );
  });

  it("mark as read: another organization's message and an unknown id → the same answer", async () => {
    const { id } = await receivedFrom(freshRecipient());
    const answers = await Promise.all(
      [id, newId()].map((message_id) => send(gateway, other, { status: 'read', message_id })),
    );
    for (const answer of answers) assertError(answer, 422, 'SEND_FAILED');
    const [foreign, unknown] = answers.map(({ text }) => text.replaceAll(/[0-9a-f-]{36}|[0-9a-f]{6}-[0-9a-z]+/g, ''));
    assert.equal(foreign, unknown);
  });

  it('reply as sent: a repeated key → the first message, whose body was changed for the platform', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const { id } = await sendNow(gateway, tenant, to);
    const reply = { to, type: 'text', text: { body: 'hi' }, context: { message_id: id } };
    const options = { headers: { 'idempotency-key': 'quoting' } };
    const [first, second] = [await send(gateway, tenant, reply, options), await send(gateway, tenant, reply, options)];
    assert.deepEqual(second.json, first.json);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });
});
