import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFastClock } from '../../harness/fast-clock.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../../harness/tenant.ts';
import { startReceiver, takeIt } from './receiver.ts';
import { createWebhook, deliveriesOf, emitEvents, settledDelivery } from './webhook-endpoint.ts';

/** Factor by which the gateway's clock runs faster here. */
const SPEED = 20;

describe('delivery of webhooks', () => {
  let tenant: Tenant;
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'], clock: createFastClock(SPEED) });
  const freshTenant = async () => {
    tenant = await createTenant(gateway);
  };

  it('tries again after a failure, under the same id, and records every attempt', async () => {
    await freshTenant();
    await using receiver = await startReceiver((_request, response, count) => {
      response.writeHead(count === 1 ? 500 : 200).end(count === 1 ? 'out of\u0000order' : 'thanks');
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    const delivery = await settledDelivery(gateway, tenant, id, event);
    assert.deepEqual(
      receiver.received.map((request) => request.id),
      [event, event],
    );
    const [first, second] = receiver.received;
    assert.equal(first?.body, second?.body);
    assert.ok(Number(second?.headers['webhook-timestamp']) > Number(first?.headers['webhook-timestamp']));
    assert.notEqual(first?.headers['webhook-signature'], second?.headers['webhook-signature']);
    assert.equal(delivery.status, 'delivered');
    assert.deepEqual(
      delivery.attempts.map(({ http_status, failure, answer }: Record<string, unknown>) => [
        http_status,
        failure,
        answer,
      ]),
      [
        [500, 'http_status', 'out of\ufffdorder'],
        [200, null, 'thanks'],
      ],
    );
  });

  it('treats a redirect as a failure and does not follow it', async () => {
    await freshTenant();
    await using other = await startReceiver();
    await using receiver = await startReceiver((_request, response, count) => {
      if (count === 1) response.writeHead(307, { location: other.url }).end();
      else response.writeHead(200).end();
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    const delivery = await settledDelivery(gateway, tenant, id, event);
    assert.equal(delivery.attempts[0].failure, 'redirect');
    assert.equal(other.received.length, 0);
  });

  it('gives up on a missing answer, and tries again', async () => {
    await freshTenant();
    await using receiver = await startReceiver((_request, response, count) => {
      if (count > 1) response.writeHead(200).end();
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    const delivery = await settledDelivery(gateway, tenant, id, event);
    assert.equal(delivery.attempts[0].failure, 'timeout');
    assert.ok(delivery.attempts[0].latency_ms >= 15_000, 'by the gateway\u2019s clock');
  });

  it('waits with all deliveries for as long as Retry-After demands', async () => {
    await freshTenant();
    await using receiver = await startReceiver((_request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '20' }).end();
      else response.writeHead(200).end();
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [first = ''] = await emitEvents(gateway, tenant, 1);
    await until(
      'the first was tried',
      async () => (await deliveriesOf(gateway, tenant, id))[0]?.next_attempt_at ?? undefined,
    );
    const [second = ''] = await emitEvents(gateway, tenant, 1);
    const [delivery] = [
      await settledDelivery(gateway, tenant, id, first),
      await settledDelivery(gateway, tenant, id, second),
    ];
    const refusedAt = Date.parse(delivery.attempts[0].at);
    for (const request of receiver.received.slice(1)) {
      assert.ok(Number(request.headers['webhook-timestamp']) * 1000 >= refusedAt + 19_000);
    }
    assert.equal(receiver.received.length, 3);
  });

  it('tries an endpoint at once that is enabled or moves, despite its Retry-After', async () => {
    await freshTenant();
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(503, { 'retry-after': '86400' }).end();
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [first = ''] = await emitEvents(gateway, tenant, 1);
    const untilRefused = (count: number) =>
      until('it is to be left alone', async () => {
        const waiting = await deliveriesOf(gateway, tenant, id, '?status=pending');
        return receiver.received.length === count && waiting[0]?.attempts.length === count ? true : undefined;
      });
    await untilRefused(1);
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`);
    await untilRefused(2);
    await using other = await startReceiver();
    await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, { body: { url: other.url } });
    const [second = ''] = await emitEvents(gateway, tenant, 1);
    assert.equal((await settledDelivery(gateway, tenant, id, second)).status, 'delivered');
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`);
    assert.equal((await settledDelivery(gateway, tenant, id, first)).attempts.length, 3);
    const { json } = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`);
    assert.deepEqual([json.status, json.failing_since], ['enabled', null]);
  });

  it('410: disables the endpoint, reports to the others, delivers the rest once enabled', async () => {
    await freshTenant();
    await using gone = await startReceiver((_request, response) => {
      response.writeHead(410).end();
    });
    await using other = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: gone.url });
    await createWebhook(gateway, tenant, { url: other.url, events: ['webhook.disabled'] });
    const [first = ''] = await emitEvents(gateway, tenant, 1);
    const told = await until('the other endpoint is told', () => other.received[0]);
    assert.equal(told.json.type, 'webhook.disabled');
    assert.deepEqual([told.json.data.webhook_id, told.json.data.reason, told.json.data.url], [id, 'gone', gone.url]);
    const endpoint = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`);
    assert.deepEqual([endpoint.json.status, endpoint.json.disabled_reason], ['disabled', 'gone']);
    assert.equal((await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`)).status, 409);

    const [second = ''] = await emitEvents(gateway, tenant, 1);
    await until(
      'both wait',
      async () => (await deliveriesOf(gateway, tenant, id, '?status=pending')).length === 2 || undefined,
    );
    assert.equal(gone.received.length, 1);
    gone.answer = (_request, response) => response.writeHead(200).end();
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`);
    for (const event of [first, second]) {
      assert.equal((await settledDelivery(gateway, tenant, id, event)).status, 'delivered');
    }
    assert.deepEqual(await deliveriesOf(gateway, tenant, id, '?status=pending'), []);
  });

  it('uses the new address after a move, whatever the old one answers', async () => {
    await freshTenant();
    const { promise: moved, resolve: move } = Promise.withResolvers<void>();
    await using before = await startReceiver((_request, response) => {
      void moved.then(() => response.writeHead(410).end());
    });
    await using after = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: before.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    await until('the old address is asked', () => before.received[0]);
    await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, { body: { url: after.url } });
    move();
    const delivery = await settledDelivery(gateway, tenant, id, event);
    assert.deepEqual([delivery.status, delivery.attempts.length], ['delivered', 1]);
    assert.deepEqual([before.received.length, after.received.length], [1, 1]);
    const { json } = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`);
    assert.deepEqual([json.status, json.failing_since], ['enabled', null]);
  });

  it('goes on if the endpoint was enabled after the request that now gets 410', async () => {
    await freshTenant();
    const { promise: enabled, resolve: enable } = Promise.withResolvers<void>();
    await using receiver = await startReceiver((_request, response, count) => {
      if (count === 1) void enabled.then(() => response.writeHead(410).end());
      else takeIt(_request, response, count);
    });
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    await until('it is asked', () => receiver.received[0]);
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`);
    enable();
    assert.equal((await settledDelivery(gateway, tenant, id, event)).status, 'delivered');
    const { json } = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`);
    assert.deepEqual([json.status, json.failing_since], ['enabled', null]);
  });

  it('keeps the rate that its owner has set', async () => {
    await freshTenant();
    const times: number[] = [];
    await using receiver = await startReceiver((_request, response) => {
      times.push(performance.now());
      response.writeHead(200).end();
    });
    await createWebhook(gateway, tenant, { url: receiver.url, rate_per_second: 2 });
    await emitEvents(gateway, tenant, 41);
    await until('all came', () => times.length === 41 || undefined);
    const spanSeconds = (((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000) * SPEED;
    assert.ok(spanSeconds >= 40 / 2 - 2, `40 in ${spanSeconds} s`);
  });

  it('keeps the order of each conversation for an ordered endpoint, despite failures', async () => {
    await freshTenant();
    const taken = new Map<string, number[]>();
    await using receiver = await startReceiver((request, response) => {
      const { id, sequence } = request.json.data;
      const attempts = receiver.received.filter((other) => other.id === request.id).length;
      if (sequence % 2 === 0 && attempts === 1) {
        response.writeHead(500).end();
        return;
      }
      taken.set(id, [...(taken.get(id) ?? []), sequence]);
      response.writeHead(200).end();
    });
    await createWebhook(gateway, tenant, {
      url: receiver.url,
      ordered: true,
      phone_number_ids: [tenant.phoneNumberId],
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(gateway, tenant, templateTo(freshRecipient()))),
    );
    const ids = answers.map((answer) => answer.json.messages[0].id as string);
    await until('every message is told to its end', () => ids.every((id) => taken.get(id)?.length === 4) || undefined);
    for (const id of ids) assert.deepEqual(taken.get(id), [1, 2, 3, 4]);
  });

  it('sends a test to the requested endpoint, despite its filters', async () => {
    await freshTenant();
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, events: ['message.failed'] });
    await createWebhook(gateway, tenant, { url: other.url });
    const answer = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`);
    assert.equal(answer.status, 202, answer.text);
    const request = await until('the test came', () => receiver.received[0]);
    assert.equal(request.id, answer.json.event_id);
    assert.equal(request.json.type, 'webhook.test');
    assert.equal(request.json.data.webhook_id, id);
    assert.equal(other.received.length, 0);
  });

  it('reaches only the tenant of the event', async () => {
    await freshTenant();
    const stranger = await createTenant(gateway);
    await using mine = await startReceiver();
    await using theirs = await startReceiver();
    await createWebhook(gateway, tenant, { url: mine.url });
    const { id: foreignId } = await createWebhook(gateway, stranger, { url: theirs.url });
    const events = await emitEvents(gateway, tenant, 20);
    const [own = ''] = await emitEvents(gateway, stranger, 1);
    await until('both have theirs', () => (mine.received.length >= 20 && theirs.received.length >= 1) || undefined);
    assert.deepEqual(new Set(mine.received.map((request) => request.id)), new Set(events));
    assert.deepEqual(
      theirs.received.map((request) => request.id),
      [own],
    );
    const replayed = await call(gateway, stranger, 'POST', `/v1/webhooks/${foreignId}/replay`, {
      body: { event_id: events[0] },
    });
    assert.equal(replayed.status, 404, 'an event of another organization does not exist');
  });
});

describe('delivery to many endpoints', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);

  it('a healthy endpoint does not wait for dead, slow and hanging ones', async () => {
    await using hanging = await startReceiver(() => {});
    await using failing = await startReceiver((_request, response) => {
      response.writeHead(503).end();
    });
    await using healthy = await startReceiver();
    const dead = await startReceiver();
    await dead[Symbol.asyncDispose]();
    for (const url of [hanging.url, failing.url, dead.url]) {
      for (let i = 0; i < 3; i += 1) await createWebhook(gateway, tenant, { url });
    }
    const { id } = await createWebhook(gateway, tenant, { url: healthy.url });
    const events = await emitEvents(gateway, tenant, 300);
    await until('the healthy endpoint has everything', () => healthy.received.length >= 300 || undefined);
    assert.deepEqual(new Set(healthy.received.map((request) => request.id)), new Set(events));
    const attempts = (await deliveriesOf(gateway, tenant, id, '?limit=100')).flatMap((delivery) => delivery.attempts);
    assert.ok(attempts.every((attempt: { http_status: number }) => attempt.http_status === 204));
    assert.ok(
      failing.received.length <= 3 * 40,
      `${failing.received.length} attempts: the breaker holds the rest back`,
    );
  });
});
