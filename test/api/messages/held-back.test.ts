import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilEvents } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  type Answer,
  call,
  freshRecipient,
  readMessage,
  send,
  sendTemplate,
  templateTo,
  textTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange, statusOf } from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

const HELD = 'held_for_quality_assessment';

describe('a message that the upstream holds back', () => {
  const gateway = useGateway({ postsOwnWebhooks: true, fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  /** Sends a template whose answer has this word, and waits until it is sent. */
  async function heldMessage(word = HELD, sender = tenant): Promise<Answer['json']> {
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'held', outcome: 'sent', delayMs: 0, word },
      scope: { recipient: to.slice(1) },
      times: 1,
    });
    return await untilStatus(gateway, sender, await sendTemplate(gateway, sender, to), 'sent');
  }

  const tell = (statuses: unknown[], sender = tenant) => postChange(gateway, sender, { statuses });
  const timelineOf = async (id: string) =>
    (await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`)).json.data as Answer['json'][];

  for (const word of [HELD, 'paused', 'reviewed_by_hand']) {
    it(`answered as "${word}" → sent, with the word, until a status arrives`, async () => {
      const { id, message_id: wamid, upstream_status } = await heldMessage(word);
      assert.equal(upstream_status, word);
      const list = await call(gateway, tenant, 'GET', `/v1/messages?message_id=${encodeURIComponent(wamid)}`);
      assert.equal(list.json.data[0].upstream_status, word);
      await tell([statusOf(wamid, 'sent', nowSeconds())]);
      const released = await readMessage(gateway, tenant, id);
      assert.equal(released.status, 'sent');
      assert.equal(released.upstream_status, null);
    });
  }

  it('released → a second message.sent, and the timeline keeps the word of the first', async () => {
    const { id, message_id: wamid } = await heldMessage();
    const at = nowSeconds();
    await tell([statusOf(wamid, 'sent', at)]);
    await tell([statusOf(wamid, 'sent', at)]);
    await tell([statusOf(wamid, 'delivered', at)]);
    const events = await untilEvents(gateway, tenant, id, 4);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.sequence, data.upstream_status]),
      [
        ['message.queued', 1, undefined],
        ['message.sent', 2, HELD],
        ['message.sent', 3, null],
        ['message.delivered', 4, undefined],
      ],
    );
    const sent = (await timelineOf(id)).filter(({ what }) => what === 'sent');
    assert.deepEqual(
      sent.map(({ source, upstream_status }) => [source, upstream_status]),
      [
        ['answer', HELD],
        ['webhook', null],
      ],
    );
  });

  it('dropped → failed with 132015, without the word', async () => {
    const { id, message_id: wamid } = await heldMessage();
    await tell([statusOf(wamid, 'failed', nowSeconds(), { errors: [{ code: 132015, title: 'Template is paused' }] })]);
    const message = await readMessage(gateway, tenant, id);
    assert.deepEqual([message.status, message.error_code, message.upstream_status], ['failed', '132015', null]);
    const [, sent, failed] = await timelineOf(id);
    assert.deepEqual([sent.what, sent.upstream_status, failed.what], ['sent', HELD, 'failed']);
  });

  it('delivered before its sent arrives → without the word, and the late sent makes an event', async () => {
    const { id, message_id: wamid } = await heldMessage();
    const at = nowSeconds();
    await tell([statusOf(wamid, 'delivered', at)]);
    assert.equal((await readMessage(gateway, tenant, id)).upstream_status, null);
    await tell([statusOf(wamid, 'sent', at)]);
    const types = (await untilEvents(gateway, tenant, id, 4)).map(({ type }) => type);
    assert.deepEqual(types, ['message.queued', 'message.sent', 'message.delivered', 'message.sent']);
  });

  it('another tenant: does not see it, and its webhooks do not release it', async () => {
    const { id, message_id: wamid } = await heldMessage();
    const foreign = await call(gateway, other, 'GET', `/v1/messages/${id}`);
    assert.equal(foreign.status, 404);
    await tell([statusOf(wamid, 'delivered', nowSeconds())], other);
    assert.equal((await readMessage(gateway, tenant, id)).upstream_status, HELD);
    assert.equal((await heldMessage('paused', other)).upstream_status, 'paused');
  });

  it('sent with sync=true → the answer says so, and so does a repeated key', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'held', outcome: 'dropped', delayMs: 0 },
      scope: { recipient: to.slice(1) },
    });
    const request = { query: '?sync=true', headers: { 'idempotency-key': to } };
    const first = await send(gateway, tenant, templateTo(to), request);
    assert.equal(first.status, 200, first.text);
    const { id, wamid } = first.json.messages[0];
    assert.deepEqual(first.json.messages, [{ id, message_status: 'sent', wamid, upstream_status: HELD }]);
    const again = await send(gateway, tenant, templateTo(to), request);
    assert.equal(again.text, first.text);
  });

  it('later status recorded by a node of the previous version → without the word', async () => {
    const { id } = await heldMessage();
    const text = 'UPDATE message SET status = 2, delivered_at = now() WHERE organization_id = $1 AND id = $2';
    await gateway.app.db.query({ text, values: [tenant.organizationId, id] });
    assert.equal((await readMessage(gateway, tenant, id)).upstream_status, null);
  });

  it('endpoint in the format of the upstream → only the sent that the upstream reports', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', events: ['message.sent'] });
    const held = await heldMessage();
    const accepted = await heldMessage('accepted');
    const toldOf = ({ message_id }: Answer['json']) =>
      receiver.received.filter(({ json }) => json.entry[0].changes[0].value.statuses[0].id === message_id).length;
    await until('the accepted one is told', () => toldOf(accepted) > 0 || undefined);
    assert.equal(toldOf(held), 0);
    await tell([statusOf(held.message_id, 'sent', nowSeconds())]);
    await until('the release is told', () => toldOf(held) > 0 || undefined);
  });
});

describe('a message that the upstream does not hold back', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  it('a template → "accepted", and the sent of the upstream makes no second event', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id: wamid, upstream_status } = await untilStatus(gateway, tenant, id, 'sent');
    assert.equal(upstream_status, 'accepted');
    const statuses = [statusOf(wamid, 'sent', nowSeconds())];
    await postChange(gateway, tenant, { statuses });
    assert.equal((await readMessage(gateway, tenant, id)).upstream_status, null);
    await postChange(gateway, tenant, { statuses: [statusOf(wamid, 'read', nowSeconds())] });
    const types = (await untilEvents(gateway, tenant, id, 3)).map(({ type }) => type);
    assert.deepEqual(types, ['message.queued', 'message.sent', 'message.read']);
  });

  it('a text, answered without a word → null', async () => {
    const to = freshRecipient();
    await postChange(gateway, tenant, { messages: [inboundText(to.slice(1), nowSeconds())] });
    const answer = await send(gateway, tenant, textTo(to), { query: '?sync=true' });
    const { id, wamid } = answer.json.messages[0];
    assert.deepEqual(answer.json.messages, [{ id, message_status: 'sent', wamid }]);
    assert.equal((await readMessage(gateway, tenant, id)).upstream_status, null);
  });
});
