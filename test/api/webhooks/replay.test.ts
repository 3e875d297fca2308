import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Database, Statement } from '../../../src/database/database.ts';
import { FIRST_POSITION, readEventsBetween } from '../../../src/events/index.ts';
import { replayEvents } from '../../../src/outbound-webhooks/delivery/replay-events.ts';
import { assertError } from '../../harness/assert-error.ts';
import { untilSettled } from '../../harness/events.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { createManualClock, type ManualClock } from '../../harness/manual-clock.ts';
import { type Answer, call, createTenant, freshRecipient, type Tenant, until } from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';
import { startReceiver, takeIt } from './receiver.ts';
import { createWebhook, deliveriesOf, emitEvents, settledDelivery } from './webhook-endpoint.ts';

describe('replay of webhooks', () => {
  let tenant: Tenant;
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  beforeEach(async () => {
    tenant = await createTenant(gateway);
  });

  const replay = (id: string, body: unknown): Promise<Answer> =>
    call(gateway, tenant, 'POST', `/v1/webhooks/${id}/replay`, { body });

  /** Replays to the end with a database in which each statement takes two seconds of the clock; returns the count queued by each call. */
  const replaySlowly = async (
    clock: ManualClock,
    id: string,
    first: { kind: 'range'; fromMs: number; toMs: number } | { kind: 'failed'; sinceMs: number },
    between: () => Promise<void> = async () => {},
  ): Promise<number[]> => {
    const db: Database = {
      ...gateway.app.db,
      async query<Row extends Record<string, unknown>>(statement: Statement) {
        clock.advance(2_000);
        return await gateway.app.db.query<Row>(statement);
      },
    };
    const queued: number[] = [];
    for (let after: string | undefined, calls = 0; calls === 0 || after !== undefined; calls += 1) {
      const answer = await replayEvents({ db, clock }, tenant.organizationId, id, { ...first, after });
      queued.push(answer.queued);
      after = answer.after;
      await between();
    }
    return queued;
  };

  it("one event: delivered again under its id; another organization's → not found", async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    await settledDelivery(gateway, tenant, id, event);
    const answer = await replay(id, { event_id: event });
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(answer.json, { queued: 1, next: null });
    await until('it came again', () => receiver.received.length === 2 || undefined);
    assert.deepEqual(
      receiver.received.map((request) => request.id),
      [event, event],
    );
    const [foreign] = await emitEvents(gateway, await createTenant(gateway), 1);
    for (const absent of ['evt_0199c0de7a3b7c1d9e5f2b8a4d6c1e300001', foreign, 'nonsense']) {
      assertError(await replay(id, { event_id: absent }), 404, 'NOT_FOUND');
    }
  });

  it('a test event: delivered again in either format', async () => {
    for (const format of ['standard', 'cloud_api']) {
      await using receiver = await startReceiver();
      const { id } = await createWebhook(gateway, tenant, { url: receiver.url, format });
      const test = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`);
      const { event_id } = test.json;
      await settledDelivery(gateway, tenant, id, event_id);
      const answer = await replay(id, { event_id });
      assert.equal(answer.status, 202, answer.text);
      await until('it came again', () => receiver.received.length === 2 || undefined);
      assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
    }
  });

  it('a range: own events that pass the filter → delivered, even from before the endpoint', async () => {
    const fromMs = Date.now() - 1_000;
    await emitEvents(gateway, await createTenant(gateway), 3);
    const events = await emitEvents(gateway, tenant, 1_203);
    await untilSettled(gateway.app.db);
    await using receiver = await startReceiver();
    await using picky = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const { id: pickyId } = await createWebhook(gateway, tenant, { url: picky.url, events: ['message.failed'] });
    const range = { from: new Date(fromMs).toISOString() };
    assert.deepEqual((await replay(id, range)).json, { queued: 1_203, next: null });
    await until('all came', () => receiver.received.length >= 1_203 || undefined);
    assert.deepEqual(new Set(receiver.received.map((request) => request.id)), new Set(events));
    assert.deepEqual((await replay(pickyId, range)).json, { queued: 0, next: null });
    assert.deepEqual((await replay(id, { from: '2020-01-01T00:00:00Z', to: range.from })).json, {
      queued: 0,
      next: null,
    });
  });

  it('many events, slow database: answered in time, and continued from there', async () => {
    const from = new Date(Date.now() - 1_000).toISOString();
    const events = await emitEvents(gateway, tenant, 1_203);
    await untilSettled(gateway.app.db);
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const clock = createManualClock(Date.now());
    const range = { kind: 'range', fromMs: Date.parse(from), toMs: Date.now() } as const;
    assert.deepEqual(await replaySlowly(clock, id, range), [1_000, 203]);
    await until('all came', () => receiver.received.length >= 1_203 || undefined);
    assert.deepEqual(new Set(receiver.received.map((request) => request.id)), new Set(events));
    const allFail = async () => {
      await until(
        'all are recorded',
        async () => (await deliveriesOf(gateway, tenant, id, '?status=pending')).length === 0 || undefined,
      );
      await gateway.app.db.query({
        text: 'UPDATE webhook_delivery SET delivered = false, settled_at = $2 WHERE organization_id = $1 AND delivered',
        values: [tenant.organizationId, new Date(clock.now())],
      });
    };
    await allFail();
    clock.advance(1);
    // Deliveries that fail during the replay are not replayed once more by it.
    const failed = { kind: 'failed', sinceMs: Date.parse(from) } as const;
    assert.deepEqual(await replaySlowly(clock, id, failed, allFail), [500, 500, 203]);
  });

  it('long events: few read at once, and the end is reached', async () => {
    const at = nowSeconds();
    const from = new Date(Date.now() - 1_000).toISOString();
    for (let i = 0; i < 5; i += 1) {
      const message = { ...inboundText(freshRecipient().slice(1), at), text: { body: 'x'.repeat(600_000) } };
      await postChange(gateway, tenant, { messages: [message] });
    }
    await untilSettled(gateway.app.db);
    const range = { fromMs: 0, toMs: Date.now() + 60_000 };
    const read = await readEventsBetween(gateway.app.db, tenant.organizationId, FIRST_POSITION, range, 500, 1_500_000);
    assert.deepEqual([read.events.length, read.next], [2, read.events[1]?.position]);
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    assert.deepEqual((await replay(id, { from })).json, { queued: 5, next: null });
    await until(
      'all are settled',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=delivered')).length === 5 || undefined,
    );
    await gateway.app.db.query({
      text: 'UPDATE webhook_delivery SET delivered = false WHERE organization_id = $1',
      values: [tenant.organizationId],
    });
    const failed = { kind: 'failed', sinceMs: Date.parse(from) } as const;
    assert.deepEqual(await replaySlowly(createManualClock(Date.now()), id, failed), [1, 1, 1, 1, 1]);
  });

  it('shows a delivery as waiting until it has ended again, with all attempts', async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, events: ['message.received'] });
    const other = await createWebhook(gateway, tenant, { url: receiver.url, events: ['message.received'] });
    const message = inboundText(freshRecipient().slice(1), nowSeconds());
    await postChange(gateway, tenant, { messages: [message] });
    const { id: event, json } = await until('it came', () => receiver.received[0]);
    await settledDelivery(gateway, tenant, id, event);
    await settledDelivery(gateway, tenant, other.id, event);
    const shown = async () =>
      (await deliveriesOf(gateway, tenant, id)).map(({ status, settled_at, attempts }) => [
        status,
        settled_at === attempts.at(-1).at,
        attempts.map(({ http_status }: { http_status: number }) => http_status),
      ]);
    assert.deepEqual(await shown(), [['delivered', true, [204]]]);

    receiver.answer = (_request, response) => response.writeHead(500).end();
    assert.deepEqual((await replay(id, { event_id: event })).json, { queued: 1, next: null });
    await until(
      'it failed',
      async () => (await deliveriesOf(gateway, tenant, id))[0]?.attempts.length > 1 || undefined,
    );
    assert.deepEqual(await shown(), [['pending', false, [204, 500]]]);
    assert.deepEqual(await deliveriesOf(gateway, tenant, id, '?status=delivered'), []);

    receiver.answer = takeIt;
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`);
    await settledDelivery(gateway, tenant, id, event);
    assert.deepEqual(await shown(), [['delivered', true, [204, 500, 204]]]);
    const timeline = await call(gateway, tenant, 'GET', `/v1/messages/${json.data.id}/timeline`);
    assert.deepEqual(
      timeline.json.data
        .filter((entry: { webhook_id?: string }) => entry.webhook_id === id)
        .map((entry: { outcome: string }) => entry.outcome),
      ['delivered', 'retry', 'delivered'],
    );
    assert.equal((await deliveriesOf(gateway, tenant, other.id))[0].attempts.length, 1);
  });

  it('failures since a moment: only these delivered, once', async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const events = await emitEvents(gateway, tenant, 30);
    await until('all came', () => receiver.received.length === 30 || undefined);
    await until(
      'all are recorded',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=delivered')).length === 30 || undefined,
    );
    // Sets the state after twelve failed attempts.
    const failed = new Set(events.slice(0, 10));
    await gateway.app.db.query({
      text: `UPDATE webhook_delivery SET delivered = false, failure = 'timeout', http_status = NULL
             WHERE organization_id = $1 AND subject_id = ANY($2::uuid[])`,
      values: [tenant.organizationId, [...failed].map((event) => event.slice(4, 36))],
    });
    assert.equal((await deliveriesOf(gateway, tenant, id, '?status=failed')).length, 10);
    const since = { failed_since: new Date(Date.now() - 60_000).toISOString() };
    assert.deepEqual((await replay(id, since)).json, { queued: 10, next: null });
    await until('the failed ones came again', () => receiver.received.length === 40 || undefined);
    assert.deepEqual(new Set(receiver.received.slice(30).map((request) => request.id)), failed);
    await until(
      'none is failed any more',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=failed')).length === 0 || undefined,
    );
    assert.deepEqual((await replay(id, since)).json, { queued: 0, next: null });
  });

  it('failures, ordered endpoint: the order of a conversation is kept', async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, ordered: true });
    const from = freshRecipient().slice(1);
    const at = nowSeconds();
    for (let i = 0; i < 5; i += 1) {
      await postChange(gateway, tenant, { messages: [inboundText(from, at + i)] });
    }
    const told = () => receiver.received.map((request) => request.id);
    await until('all came', () => told().length === 5 || undefined);
    await until(
      'all are recorded',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=delivered')).length === 5 || undefined,
    );
    await gateway.app.db.query({
      text: 'UPDATE webhook_delivery SET delivered = false WHERE organization_id = $1',
      values: [tenant.organizationId],
    });
    const since = { failed_since: new Date(Date.now() - 60_000).toISOString() };
    assert.deepEqual((await replay(id, since)).json, { queued: 5, next: null });
    await until('all came again', () => told().length === 10 || undefined);
    assert.deepEqual(told().slice(5), told().slice(0, 5));
  });

  it('failures: retries are brought forward', async () => {
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    await until('the retry is far off', async () => {
      const [delivery] = await deliveriesOf(gateway, tenant, id);
      return delivery?.next_attempt_at && Date.parse(delivery.next_attempt_at) > Date.now() + 3_000_000
        ? true
        : undefined;
    });
    await replay(id, { failed_since: new Date(Date.now() - 60_000).toISOString() });
    const [delivery] = await deliveriesOf(gateway, tenant, id);
    assert.equal(delivery.event_id, event);
    assert.ok(Date.parse(delivery.next_attempt_at) <= Date.now());
  });

  it('filters the list by type, time and status, page by page', async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const events = await emitEvents(gateway, tenant, 25);
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`);
    await until('all came', () => receiver.received.length === 26 || undefined);
    await until(
      'all are recorded',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=pending')).length === 0 || undefined,
    );
    const listed: string[] = [];
    let after = '';
    do {
      const page = await call(
        gateway,
        tenant,
        'GET',
        `/v1/webhooks/${id}/deliveries?limit=10&type=account.updated${after}`,
      );
      listed.push(...page.json.data.map((delivery: { event_id: string }) => delivery.event_id));
      after = page.json.next === null ? '' : `&after=${page.json.next}`;
    } while (after !== '');
    assert.equal(listed.length, 25);
    assert.deepEqual(new Set(listed), new Set(events));
    assert.equal((await deliveriesOf(gateway, tenant, id, '?type=webhook.test')).length, 1);
    assert.equal((await deliveriesOf(gateway, tenant, id, '?to=2020-01-01T00:00:00Z')).length, 0);
    assert.equal((await deliveriesOf(gateway, tenant, id, '?from=2020-01-01T00:00:00Z')).length, 26);
  });
});
