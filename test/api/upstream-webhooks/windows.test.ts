import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pullAll } from '../../harness/events.ts';
import { createFastClock } from '../../harness/fast-clock.ts';
import { type Gateway, startFurtherNode, startGateway } from '../../harness/gateway.ts';
import { call, createTenant, freshRecipient, send, type Tenant, textTo, until } from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
} from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

const HOUR_S = 3_600;

/** Posts one change of any field of a tenant's number; fails unless the answer is 200. */
async function report(gateway: Gateway, tenant: Tenant, field: string, value: object): Promise<void> {
  const metadata = { display_phone_number: tenant.phoneNumber, phone_number_id: tenant.phoneNumberId };
  const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
  assert.equal((await postWebhook(gateway, payloadOf(tenant, change))).status, 200);
}

function userCall(from: string, at = nowSeconds()) {
  const id = `wacid.${freshWamid()}`;
  return { id, from, to: '1', event: 'connect', direction: 'USER_INITIATED', timestamp: String(at) };
}

describe('the window of a person', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
    gateway.simulator.world.setWebhookUrl(null);
  });
  after(() => gateway.stop());

  const windowOf = async (person: string, asked = tenant, by = asked) =>
    call(gateway, by, 'GET', `/v1/${asked.phoneNumberId}/windows/${encodeURIComponent(person)}`);
  const person = () => freshRecipient().slice(1);

  it('a message → open for 24 hours from its own time, for its number alone', async () => {
    const from = person();
    const at = nowSeconds() - 100;
    await postChange(gateway, tenant, { messages: [inboundText(from, at)] });
    for (const name of [from, `+${from}`]) {
      assert.deepEqual((await windowOf(name)).json, {
        open: true,
        opened_by: 'message',
        opened_at: new Date(at * 1000).toISOString(),
        expires_at: new Date((at + 24 * HOUR_S) * 1000).toISOString(),
      });
    }
    assert.equal((await windowOf(from, other)).json.open, false);
    const event = (await pullAll(gateway, tenant)).find(({ data }) => data.sender_phone === from);
    assert.equal(event?.data.window_expires_at, new Date((at + 24 * HOUR_S) * 1000).toISOString());
  });

  it('none, or one that ended → closed', async () => {
    const from = person();
    const closed = { open: false, opened_by: null, opened_at: null, expires_at: null };
    assert.deepEqual((await windowOf(from)).json, closed);
    await postChange(gateway, tenant, { messages: [inboundText(from, nowSeconds() - 24 * HOUR_S)] });
    assert.deepEqual((await windowOf(from)).json, closed);
  });

  it('a call of the person → open, until a later message refreshes it', async () => {
    const from = person();
    const at = nowSeconds();
    await report(gateway, tenant, 'calls', { calls: [userCall(from, at - 60)] });
    assert.equal((await windowOf(from)).json.opened_by, 'call');
    assert.equal((await send(gateway, tenant, textTo(`+${from}`))).status, 202);
    await postChange(gateway, tenant, { messages: [inboundText(from, at - 120)] });
    assert.equal((await windowOf(from)).json.opened_by, 'call');
    await postChange(gateway, tenant, { messages: [inboundText(from, at - 10)] });
    assert.equal((await windowOf(from)).json.opened_by, 'message');
  });

  it('message in a group → opens the window of the group, none of its writer', async () => {
    const from = person();
    const group = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';
    const at = nowSeconds();
    await postChange(gateway, tenant, { messages: [inboundText(from, at, { group_id: group })] });
    await postChange(gateway, tenant, { messages: [inboundText(from, at - 25 * HOUR_S)] });
    assert.equal((await windowOf(from)).json.open, false);
    assert.equal((await send(gateway, tenant, textTo(`+${from}`))).status, 403);
    assert.equal((await windowOf(group)).json.open, true);
    assert.equal((await windowOf(group, other)).json.open, false);
    const list = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${from}`);
    const [alone, inGroup] = list.json.data;
    assert.equal(inGroup.group_id, group);
    assert.equal(alone.group_id, undefined);
    assert.notEqual(inGroup.conversation_id, alone.conversation_id);
    const told = (await pullAll(gateway, tenant)).filter(({ data }) => data.sender_phone === from);
    const conversations = told.map(({ data }) => [data.group_id, data.conversation_id]);
    assert.deepEqual(conversations, [
      [group, inGroup.conversation_id],
      [undefined, alone.conversation_id],
    ]);
  });

  it('a foreign number, an absent one → the same 404; a name of no person → 400', async () => {
    const [foreign, absent] = await Promise.all([
      windowOf('12025550123', other, tenant),
      windowOf('12025550123', { ...tenant, phoneNumberId: '899999999999991' }, tenant),
    ]);
    const without = ({ text, json }: typeof foreign) => text.replaceAll(json.request_id, '');
    assert.equal(foreign.status, 404);
    assert.equal(without(foreign), without(absent));
    assert.equal((await windowOf('no.name')).status, 400);
  });
});

describe('the closing of a window', () => {
  it('an hour before the end → one event of all nodes, for endpoints that name the type', async (t) => {
    const clock = createFastClock(30);
    const gateway = await startGateway({ clock, fetchAllowCidrs: ['127.0.0.0/8'], isOneOfSeveral: true });
    t.after(() => gateway.stop());
    const second = await startFurtherNode(gateway, { clock, fetchAllowCidrs: ['127.0.0.0/8'] });
    t.after(() => second.stop());
    const tenant = await createTenant(gateway);
    const silent = await createTenant(gateway);
    gateway.simulator.world.setWebhookUrl(null);
    await using asking = await startReceiver();
    await using everything = await startReceiver();
    await createWebhook(gateway, tenant, { url: asking.url, events: ['window.closing'] });
    await createWebhook(gateway, tenant, { url: everything.url });
    await createWebhook(gateway, silent, { url: everything.url });

    const [due, called, refreshed, later, ended] = Array.from({ length: 5 }, () => freshRecipient().slice(1));
    const agoS = (seconds: number) => Math.floor(clock.now() / 1000) - seconds;
    const begun = agoS(23 * HOUR_S);
    const written = [
      inboundText(due!, begun),
      inboundText(refreshed!, begun),
      inboundText(refreshed!, agoS(HOUR_S)),
      inboundText(later!, agoS(20 * HOUR_S)),
      inboundText(ended!, agoS(25 * HOUR_S)),
    ];
    await postChange(gateway, tenant, { messages: written });
    await postChange(gateway, silent, { messages: [inboundText(due!, begun)] });
    await report(gateway, tenant, 'calls', { calls: [userCall(called!, begun)] });
    await until('both are reported', () => asking.received.length === 2 || undefined);
    const told = asking.received.map(({ json }) => json).sort((a, b) => (a.data.person < b.data.person ? -1 : 1));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.person, data.opened_by, data.phone_number_id, data.window_expires_at]),
      [due, called]
        .toSorted()
        .map((person) => [
          'window.closing',
          person,
          person === due ? 'message' : 'call',
          tenant.phoneNumberId,
          new Date((begun + 24 * HOUR_S) * 1000).toISOString(),
        ]),
    );
    const passes = clock.now() + 120_000;
    await until('both nodes have looked again', () => clock.now() > passes || undefined);
    const events = await pullAll(gateway, tenant);
    assert.equal(events.filter(({ type }) => type === 'window.closing').length, 2);
    assert.equal((await pullAll(gateway, silent)).filter(({ type }) => type === 'window.closing').length, 0);
    assert.equal(everything.received.filter(({ json }) => json.type === 'window.closing').length, 0);
  });

  it('no node delivers when it is due → reported by the next one, unless refreshed since', async (t) => {
    const clock = createFastClock(30);
    const gateway = await startGateway({ clock, roles: ['api', 'dispatch'], isOneOfSeveral: true });
    t.after(() => gateway.stop());
    const tenant = await createTenant(gateway);
    gateway.simulator.world.setWebhookUrl(null);
    await using asking = await startReceiver();
    const due = freshRecipient().slice(1);
    const refreshed = freshRecipient().slice(1);
    const begun = Math.floor(clock.now() / 1000) - 23 * HOUR_S;
    await postChange(gateway, tenant, { messages: [inboundText(due, begun), inboundText(refreshed, begun)] });
    await postChange(gateway, tenant, { messages: [inboundText(refreshed, begun + HOUR_S)] });
    const later = await startFurtherNode(gateway, { clock, fetchAllowCidrs: ['127.0.0.0/8'] });
    t.after(() => later.stop());
    await createWebhook(later, tenant, { url: asking.url, events: ['window.closing'] });
    await until('it is reported', () => asking.received.length > 0 || undefined);
    const passes = clock.now() + 60_000;
    await until('the node has looked again', () => clock.now() > passes || undefined);
    assert.deepEqual(
      asking.received.map(({ json }) => json.data.person),
      [due],
    );
  });
});
