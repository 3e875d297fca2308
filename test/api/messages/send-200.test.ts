import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { createFastClock } from '../../harness/fast-clock.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { startGateway } from '../../harness/gateway.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendsTo,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe('a send with sync=true', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  for (const query of ['?sync=true', '?sync=1']) {
    it(`answers 200 with the upstream's id under "${query}"`, async () => {
      const to = freshRecipient();
      const answer = await send(gateway, tenant, templateTo(to), { query });
      assert.equal(answer.status, 200, answer.text);
      const [record] = sendsTo(gateway, to);
      assert.equal(record?.outcome.kind, 'accepted');
      const { id, wamid } = answer.json.messages[0];
      assert.deepEqual(answer.json, {
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: to.slice(1) }],
        messages: [{ id, message_status: 'sent', wamid }],
      });
      assert.equal(record.outcome.wamid, wamid);
      assert.equal((await readMessage(gateway, tenant, id)).message_id, wamid);
    });
  }

  it('waits for types other than template, too', async () => {
    const to = await writtenRecipient(gateway, tenant);
    assert.equal((await send(gateway, tenant, textTo(to), { query: '?sync=true' })).status, 200);
  });

  it('releases the memory of its parsed body while it waits', async () => {
    const paused = await createTenant(gateway);
    await pause(gateway, paused);
    const to = freshRecipient();
    const body = { ...templateTo(to), unknown: Array.from({ length: 100_000 }, () => ({})) };
    const answer = send(gateway, paused, body, { query: '?sync=true' });
    const { db } = gateway.app;
    const bodyBytes = async () => {
      const headers = { authorization: `Bearer ${gateway.adminToken}` };
      const metrics = await (await fetch(`${gateway.baseUrl}/metrics`, { headers })).text();
      return Number(/^fairway_http_body_bytes (\d+)$/m.exec(metrics)?.[1]);
    };
    const queued = { text: 'SELECT 1 FROM send_queue WHERE contact = $1', values: [to.slice(1)] };
    await until('it waits', async () => ((await db.query(queued)).length === 1 ? true : undefined));
    const bytes = await bodyBytes();
    const { length } = JSON.stringify(body);
    assert.ok(bytes >= length && bytes < 2 * length, `${bytes} bytes for ${length}`);
    await resume(gateway, paused);
    assert.equal((await answer).status, 200);
    await until('nothing is held', async () => ((await bodyBytes()) === 0 ? true : undefined));
  });

  it('answers 202 if the message is not dispatched within ten seconds, and sends it later', async (t) => {
    const clock = createFastClock(5);
    const gateway = await startGateway({ clock });
    t.after(() => gateway.stop());
    const paused = await createTenant(gateway);
    await pause(gateway, paused);
    const askedAtMs = clock.monotonicMs();
    const answer = await send(gateway, paused, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.ok(clock.monotonicMs() - askedAtMs >= 10_000, 'the whole wait was used');
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.json.messages[0].message_status, 'queued');
    assert.equal(answer.json.messages[0].wamid, undefined);
    await resume(gateway, paused);
    await untilStatus(gateway, paused, answer.json.messages[0].id, 'sent', 'delivered', 'read');
  });
});

describe('mark as read', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const receive = async () => {
    const from = freshRecipient();
    return (await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from })).wamid;
  };
  const readsUpstream = () => gateway.simulator.world.sends.list({ outcome: 'read' });

  for (const method of ['POST', 'PUT']) {
    it(`goes straight upstream by ${method} and answers exactly {"success": true}`, async () => {
      const body = { messaging_product: 'whatsapp', status: 'read', message_id: await receive() };
      const answer = await call(gateway, tenant, method, `/v1/${tenant.phoneNumberId}/messages`, { body });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, { success: true });
      assert.equal(String(readsUpstream().at(-1)?.body), JSON.stringify(body));
    });
  }

  it('PUT accepts nothing else: a message by PUT, which proxies may repeat, is refused', async () => {
    const to = freshRecipient();
    const answer = await call(gateway, tenant, 'PUT', `/v1/${tenant.phoneNumberId}/messages`, { body: templateTo(to) });
    assertError(answer, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(answer.headers.get('allow'), 'POST');
    const { json } = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${to.slice(1)}`);
    assert.deepEqual(json.data, []);
  });

  it('carries a typing indicator, white space and unknown fields as sent', async () => {
    const text = `{ "messaging_product" : "whatsapp", "status":"read",  "message_id":"${await receive()}",
      "typing_indicator":{"type":"text"}, "n":1.0 }`;
    assert.equal((await send(gateway, tenant, text)).status, 200);
    assert.equal(String(readsUpstream().at(-1)?.body), text);
  });

  it('inserts messaging_product if it is missing', async () => {
    const text = `{"status":"read","message_id":"${await receive()}"}`;
    assert.equal((await send(gateway, tenant, text)).status, 200);
    assert.equal(String(readsUpstream().at(-1)?.body), `{"messaging_product":"whatsapp",${text.slice(1)}`);
  });

  it('is no message: the plan counts nothing', async () => {
    const usage = () => admin<{ accepted: number }>(gateway, 'GET', `/organizations/${tenant.organizationId}/usage`);
    const before = await usage();
    await send(gateway, tenant, { status: 'read', message_id: await receive() });
    assert.deepEqual(await usage(), before);
  });
});
