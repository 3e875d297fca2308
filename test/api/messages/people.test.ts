import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ordinaryPerson, userIdOf } from '../../../src/simulator/people/person.ts';
import { assertError } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, freshRecipient, send, sendNow, type Tenant, textTo, untilStatus } from '../../harness/tenant.ts';
import { freshWamid, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';

const ABSENT = [{}, { wa_id: '' }];

describe('people with user ids', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  /** Reports a message of a person, under these names, to a tenant's number. */
  async function write(to: Tenant, names: { phone?: string; userId?: string }, absent: object = {}): Promise<string> {
    const id = freshWamid();
    const { phone, userId } = names;
    const from = phone === undefined ? ('wa_id' in absent ? { from: '' } : {}) : { from: phone };
    const contact = { profile: { name: 'Q' }, ...(phone === undefined ? absent : { wa_id: phone }), user_id: userId };
    const message = {
      ...from,
      from_user_id: userId,
      id,
      timestamp: String(nowSeconds()),
      type: 'text',
      text: { body: 'hi' },
    };
    await postChange(gateway, to, { contacts: [contact], messages: [message] });
    return id;
  }

  async function conversationsOf(of: Tenant, wamids: readonly string[]): Promise<Set<string>> {
    const told = (await pullAll(gateway, of)).filter(({ data }) => wamids.includes(data.message_id));
    assert.equal(told.length, wamids.length);
    return new Set(told.map(({ data }) => data.conversation_id));
  }

  const textToId = (userId: string) => ({ recipient: userId, type: 'text', text: { body: 'hello' } });
  const idOf = (phone: string) =>
    userIdOf(ordinaryPerson(phone), { portfolioId: tenant.wabaId, parentPortfolioId: null });

  for (const [index, absent] of ABSENT.entries()) {
    it(`a person hides the number, ${index === 0 ? 'left out' : 'as empty text'} → one window and conversation`, async () => {
      const phone = freshRecipient().slice(1);
      const userId = `GB.${phone}${index}`;
      const wamids = [await write(tenant, { phone, userId }), await write(tenant, { userId }, absent)];
      assert.equal((await conversationsOf(tenant, wamids)).size, 1);
      for (const name of [phone, userId]) {
        const window = await call(gateway, tenant, 'GET', `/v1/${tenant.phoneNumberId}/windows/${name}`);
        assert.equal(window.json.open, true, name);
      }
      const foreign = await call(gateway, other, 'GET', `/v1/${other.phoneNumberId}/windows/${userId}`);
      assert.equal(foreign.json.open, false);
    });
  }

  it('a user id that a status brings → shown by the events from then on, not by earlier ones', async () => {
    const to = freshRecipient();
    const { id } = await sendNow(gateway, tenant, to);
    await untilStatus(gateway, tenant, id, 'read');
    const shown = (await pullAll(gateway, tenant)).filter(({ data }) => data.id === id);
    const idBy = Object.fromEntries(shown.map(({ type, data }) => [type, data.user_id]));
    const userId = idOf(to.slice(1));
    assert.deepEqual(idBy, {
      'message.queued': null,
      'message.sent': null,
      'message.delivered': userId,
      'message.read': userId,
    });
  });

  it('a person without a number writes → answered by user id, followed to read, found by it', async () => {
    const phone = freshRecipient().slice(1);
    const userId = idOf(phone);
    assert.equal((await send(gateway, tenant, textToId(userId))).status, 403);
    const { wamid } = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: phone,
      hidesPhone: true,
    });
    const answer = await send(gateway, tenant, textToId(userId));
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(answer.json.contacts, [{ input: userId, user_id: userId }]);
    const id = answer.json.messages[0].id as string;
    const message = await untilStatus(gateway, tenant, id, 'read');
    assert.equal(message.user_id, userId);
    assert.deepEqual(message.content, { recipient: userId, text: { body: 'hello' } });
    assert.deepEqual(await conversationsOf(tenant, [wamid]), new Set([message.conversation_id]));
    const list = await call(gateway, tenant, 'GET', `/v1/messages?user_id=${userId}&direction=outbound`);
    assert.deepEqual(
      list.json.data.map((one: { id: string }) => one.id),
      [id],
    );
    const foreign = await call(gateway, other, 'GET', `/v1/messages?user_id=${userId}`);
    assert.deepEqual(foreign.json.data, []);
  });

  it('both names in a body → the number decides; a name of neither kind → 400', async () => {
    const phone = freshRecipient();
    await write(tenant, { phone: phone.slice(1), userId: idOf(phone.slice(1)) });
    const answer = await send(gateway, tenant, { ...textTo(phone), recipient: 'GB.1' });
    assert.deepEqual(answer.json.contacts, [{ input: phone, wa_id: phone.slice(1) }]);
    for (const recipient of ['447700900001', '@name', 'x'.repeat(300)]) {
      assertError(await send(gateway, tenant, textToId(recipient)), 400, 'VALIDATION_ERROR');
    }
  });

  it('waiting messages under both names → one order; cancelled by either name', async () => {
    const phone = freshRecipient();
    const userId = idOf(phone.slice(1));
    await write(tenant, { phone: phone.slice(1), userId });
    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true });
    const sent = [await send(gateway, tenant, textTo(phone)), await send(gateway, tenant, textToId(userId))];
    const ids = sent.map(({ json }) => json.messages[0].id as string);
    const timeline = await call(gateway, tenant, 'GET', `/v1/messages/${ids[1]}/timeline`);
    assert.match(timeline.text, /1 earlier to the same recipient/);
    const cancelled = await call(gateway, tenant, 'POST', '/v1/messages/cancel', { body: { recipient: phone } });
    assert.equal(cancelled.json.cancelled, 2);
    for (const id of ids) assert.equal((await untilStatus(gateway, tenant, id, 'failed')).error_code, 'CANCELLED');
  });

  it('a stated change of number → one person under both numbers', async () => {
    const [old, present] = [freshRecipient().slice(1), freshRecipient().slice(1)];
    const first = await write(tenant, { phone: old, userId: 'GB.5001' });
    const system = { body: 'changed', wa_id: present, user_id: 'GB.5002', type: 'user_changed_number' };
    const note = { from: old, id: freshWamid(), timestamp: String(nowSeconds()), type: 'system', system };
    await postChange(gateway, tenant, { messages: [note] });
    const wamids = [first, await write(tenant, { phone: present, userId: 'GB.5002' })];
    assert.equal((await conversationsOf(tenant, wamids)).size, 1);
  });
});
