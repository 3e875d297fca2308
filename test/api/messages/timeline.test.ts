import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  type Answer,
  call,
  createTenant,
  freshRecipient,
  pause,
  queueOf,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { nowSeconds, postChange, statusOf } from '../../harness/upstream-webhook.ts';
import { NEW_ID_SQL } from '../../support/new-id-sql.ts';

describe("GET a message's timeline", () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  async function timelineOf(id: string): Promise<Answer['json']> {
    const answer = await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }
  const whats = (timeline: Answer['json']) => timeline.data.map((entry: { what: string }) => entry.what);

  const tell = (statuses: unknown[]) => postChange(gateway, tenant, { statuses });

  it("shows acceptance, the upstream's answer and every status, in order of arrival", async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    // Whole seconds: they may lie before the gateway's own time of sending.
    const at = nowSeconds() - 1;
    await tell([statusOf(wamid, 'delivered', at)]);
    await tell([statusOf(wamid, 'read', at)]);
    const timeline = await timelineOf(id);
    assert.deepEqual(whats(timeline), ['queued', 'sent', 'delivered', 'read']);
    assert.equal(timeline.waiting, null);
    assert.deepEqual([timeline.price.category, timeline.price.pricing_type], ['marketing', null]);
    assert.ok(Number.isInteger(timeline.price.micros));
    assert.equal(timeline.biz_opaque_callback_data, null);
    const [, sent, delivered] = timeline.data;
    assert.equal(sent.source, 'answer');
    assert.equal(sent.message_id, wamid);
    assert.equal(delivered.source, 'webhook');
    assert.match(delivered.event_id, /^evt_/);
  });

  it('shows failed attempts with their reasons, and the one that worked', async () => {
    const to = freshRecipient();
    const { world } = gateway.simulator;
    const fault = world.addFault({
      fault: { kind: 'error', code: 130429 },
      scope: { recipient: to.slice(1) },
      times: 1,
    });
    const id = await sendTemplate(gateway, tenant, to);
    await untilStatus(gateway, tenant, id, 'sent');
    world.clearFaults(fault.id);
    const timeline = await until('the attempt is noted', async () => {
      const found = await timelineOf(id);
      return found.data.length >= 3 ? found : undefined;
    });
    assert.deepEqual(whats(timeline), ['queued', 'attempt', 'sent']);
    const [, attempt] = timeline.data;
    assert.equal(attempt.outcome, 'throttled');
    assert.equal(attempt.error_code, '130429');
    assert.ok(Date.parse(attempt.next_attempt_at) > Date.parse(attempt.at));
  });

  it('shows a refusal with its code, and a later contradicting status', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    const at = nowSeconds() + 1;
    await tell([statusOf(wamid, 'failed', at, { errors: [{ code: 131026, title: 'Undeliverable' }] })]);
    await tell([statusOf(wamid, 'delivered', at + 1)]);
    const timeline = await timelineOf(id);
    assert.deepEqual(whats(timeline), ['queued', 'sent', 'failed', 'contradiction']);
    assert.equal(timeline.data[2].error_code, '131026');
    assert.equal(timeline.data[3].told, 'delivered');
  });

  it('statuses reported together: shows only the failure as a contradiction', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    const at = nowSeconds() + 1;
    const failed = statusOf(wamid, 'failed', at + 1, { errors: [{ code: 131026, title: 'Undeliverable' }] });
    await tell([statusOf(wamid, 'delivered', at), failed]);
    const timeline = await timelineOf(id);
    assert.deepEqual(whats(timeline), ['queued', 'sent', 'delivered', 'contradiction']);
    assert.deepEqual([timeline.data[3].told, timeline.data[3].error_code], ['failed', '131026']);
  });

  it('shows why a queued message waits and until when', async () => {
    const paused = await createTenant(gateway);
    await pause(gateway, paused);
    const to = freshRecipient();
    const first = await sendTemplate(gateway, paused, to);
    const second = await sendTemplate(gateway, paused, to);
    const read = async (id: string) => (await call(gateway, paused, 'GET', `/v1/messages/${id}/timeline`)).json;
    const waiting = await until('the pause is known', async () => {
      const found = await read(first);
      return found.waiting?.reasons.includes('paused') ? found.waiting : undefined;
    });
    assert.ok(Date.parse(waiting.expires_at) > Date.now());
    assert.deepEqual((await read(second)).waiting.reasons, ['1 earlier to the same recipient']);
    const { db } = gateway.app;
    for (const [column, reason] of [
      ['due_at', 'retry'],
      ['hold_until', 'unknown outcome'],
    ]) {
      const at = new Date(Date.now() + 3_600_000);
      await db.query({ text: `UPDATE send_queue SET ${column} = $2 WHERE message_id = $1`, values: [first, at] });
      const { reasons, next_attempt_at } = (await read(first)).waiting;
      assert.deepEqual([reasons, next_attempt_at], [[reason], at.toISOString()]);
    }
  });

  it('shows what a retry past its time now waits for', async () => {
    const stopped = await createTenant(gateway);
    const to = freshRecipient();
    const { world } = gateway.simulator;
    const fault = world.addFault({ fault: { kind: 'error', code: 2 }, scope: { recipient: to.slice(1) } });
    const id = await sendTemplate(gateway, stopped, to);
    const waiting = async () => (await call(gateway, stopped, 'GET', `/v1/messages/${id}/timeline`)).json.waiting;
    await until('it is to be tried again', async () => (await waiting())?.reasons.join() === 'retry' || undefined);
    await pause(gateway, stopped);
    const since = await until('its time has passed', async () => {
      const found = await waiting();
      return found.reasons.join() === 'paused' ? found : undefined;
    });
    assert.equal(since.next_attempt_at, null);
    world.clearFaults(fault.id);
  });

  it('counts a thousand earlier messages to the same recipient, as a minimum', async () => {
    const paused = await createTenant(gateway);
    await pause(gateway, paused);
    const to = freshRecipient();
    const rows = await gateway.app.db.query<{ message_id: string }>({
      text: `
        WITH fresh AS (
          SELECT organization_id, number_id, $2::bigint AS contact, ${NEW_ID_SQL} AS id
          FROM sending_number, generate_series(1, 1500) WHERE phone_number_id = $1
        ),
        stored AS (
          INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, accepted_at)
          SELECT organization_id, id, number_id, 0, contact, 'template', '{}', 0, now() FROM fresh
        )
        INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
        SELECT number_id % 64, number_id, 1000000, contact, '00000000-0000-0000-0000-000000000000', id, now(), now() + interval '1 day'
        FROM fresh RETURNING message_id`,
      values: [paused.phoneNumberId, to.slice(1)],
    });
    const last = await sendTemplate(gateway, paused, to);
    const ids = [...rows.map((row) => row.message_id), last];
    const reasonsOf = async (index: number) => {
      const { json } = await call(gateway, paused, 'GET', `/v1/messages/${ids[index]}/timeline`);
      assert.ok(Date.parse(json.waiting.expires_at) > Date.now());
      return json.waiting.reasons;
    };
    assert.deepEqual(await reasonsOf(999), ['999 earlier to the same recipient']);
    for (const index of [1_000, 1_300, 1_500])
      assert.deepEqual(await reasonsOf(index), ['at least 1000 earlier to the same recipient']);
  });

  it('shows acceptance of a message whose events were dropped', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { created_at } = await untilStatus(gateway, tenant, id, 'sent');
    await gateway.app.db.query({ text: 'DELETE FROM event WHERE subject_id = $1', values: [id] });
    const { data } = await timelineOf(id);
    assert.deepEqual(data, [{ at: created_at, what: 'queued' }]);
  });

  it('shows an unanswered message as in flight, whatever others of its number wait for', async () => {
    const slow = await createTenant(gateway);
    const { world } = gateway.simulator;
    const [lost, unanswered] = [freshRecipient(), freshRecipient()];
    world.addFault({ fault: { kind: 'reset_after' }, scope: { recipient: lost.slice(1) } });
    world.addFault({ fault: { kind: 'hang' }, scope: { recipient: unanswered.slice(1) } });
    const waitingOf = async (id: string) =>
      (await call(gateway, slow, 'GET', `/v1/messages/${id}/timeline`)).json.waiting?.reasons.join();
    const unansweredId = await sendTemplate(gateway, slow, unanswered);
    await until('the queue says so', async () => {
      const { waits_for } = await queueOf(gateway, slow);
      return waits_for.join() === 'on its way' || undefined;
    });
    const lostId = await sendTemplate(gateway, slow, lost);
    await until('its outcome is unknown', async () => (await waitingOf(lostId)) === 'unknown outcome' || undefined);
    assert.equal(await waitingOf(unansweredId), 'on its way');
    assert.deepEqual((await queueOf(gateway, slow)).waits_for, ['unknown outcome', 'on its way']);
    world.clearFaults();
  });

  it('is shown to no other organization, and needs a UUID and a key', async () => {
    const stranger = await createTenant(gateway);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const foreign = await call(gateway, stranger, 'GET', `/v1/messages/${id}/timeline`);
    const absent = await call(gateway, stranger, 'GET', '/v1/messages/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30/timeline');
    assertError(foreign, 404, 'NOT_FOUND');
    assert.equal(textWithoutRequestId(foreign), textWithoutRequestId(absent));
    assertError(await call(gateway, tenant, 'GET', '/v1/messages/x/timeline'), 400, 'INVALID_ID');
    assertError(await call(gateway, undefined, 'GET', `/v1/messages/${id}/timeline`), 401, 'UNAUTHORIZED');
  });
});
