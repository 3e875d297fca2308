import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, freshRecipient, pause, sendTemplate, until, untilStatus } from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';

describe('GET /metrics', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock });
  const tenant = useTenant(gateway);
  after(() => clock.stop());

  async function read(): Promise<Map<string, number>> {
    const answer = await fetch(`${gateway.baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  it("only the operator's token opens it; a tenant's key is refused like no key", async () => {
    assert.equal((await call(gateway, undefined, 'GET', '/metrics')).status, 401);
    assert.equal((await call(gateway, tenant, 'GET', '/metrics')).status, 401);
  });

  it('follows a message from the request to its statuses', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, id, 'read');
    const metrics = await until('all three statuses were applied', async () => {
      const shown = await read();
      return shown.get('fairway_webhook_items_total{kind="status"}') === 3 ? shown : undefined;
    });
    const route = 'method="POST",route="/v1/:phoneNumberId/messages",status="2xx"';
    assert.equal(metrics.get(`fairway_http_request_duration_seconds_count{${route}}`), 1);
    assert.equal(metrics.get('fairway_accept_batch_messages_sum'), 1);
    assert.equal(metrics.get('fairway_accept_commit_seconds_count'), 1);
    assert.equal(metrics.get('fairway_dispatch_outcomes_total{outcome="accepted"}'), 1);
    assert.equal(metrics.get('fairway_dispatch_outcomes_total{outcome="unknown"}'), 0);
    assert.equal(metrics.get('fairway_upstream_send_seconds_count'), 1);
    assert.equal(metrics.get('fairway_dispatch_wait_seconds_count'), 1);
    assert.equal(metrics.get('fairway_webhook_lag_seconds_count'), 3);
    assert.ok((metrics.get('fairway_webhook_payloads_total{result="applied"}') ?? 0) >= 1);
    assert.equal(metrics.get('fairway_lease_changes_total{change="acquired"}'), 64);
    assert.equal(metrics.get('fairway_dispatch_shards'), 64);
    assert.equal(metrics.get('fairway_nodes'), 1);
    const idle = [
      'accept_pending',
      'dispatch_in_flight',
      'database_pool_waiting',
      'http_body_bytes',
      'http_waiting_seconds',
      'http_connections_unread',
    ];
    for (const name of idle) assert.equal(metrics.get(`fairway_${name}`), 0, name);
    assert.equal(metrics.get('fairway_http_shed_total{reason="pending_accepts"}'), 0);
    assert.ok((metrics.get('fairway_event_loop_delay_p99_seconds') ?? -1) >= 0);
  });

  it("counts posts in the platform's name without its signature", async () => {
    const refused = async () => (await read()).get('fairway_webhook_payloads_total{result="refused"}');
    const before = await refused();
    assert.equal((await postWebhook(gateway, '{}', { secret: 'another app' })).status, 401);
    assert.equal((await postWebhook(gateway, '{}', { signature: null })).status, 401);
    assert.equal(await refused(), Number(before) + 2);
  });

  it('shows the size of the queue and the age of its oldest message', async () => {
    const paused = await createTenant(gateway);
    await gateway.app.db.query({ text: 'UPDATE sending_number SET paused = false' });
    await pause(gateway, paused);
    for (let sent = 0; sent < 3; sent += 1) await sendTemplate(gateway, paused, freshRecipient());
    // The queue is counted at most every ten seconds; the last count was a moment ago.
    clock.advance(10_000);
    const fresh = await until('the queue is counted again', async () => {
      const metrics = await read();
      return (metrics.get('fairway_queue_messages') ?? 0) > 0 ? metrics : undefined;
    });
    assert.equal(fresh.get('fairway_queue_messages'), 3);
    assert.ok((fresh.get('fairway_queue_oldest_wait_seconds') ?? 0) > 0);
    assert.equal(fresh.get('fairway_queue_held'), 0);
    // The number may still be opening when its message is already in the queue.
    await until(
      'its number is worked on',
      async () => (await read()).get('fairway_dispatch_numbers_paused') === 1 || undefined,
    );
  });

  it('has no label that callers can fill: unknown paths and methods are one route', async () => {
    // The series of numbers come and go with the shards of this node, whose lease ends when the clock is advanced.
    const count = async () => [...(await read()).keys()].filter((key) => !key.includes('phone_number_id')).length;
    for (const path of ['/nope', '/v1/nope/nope/nope', `/${'x'.repeat(200)}`]) await call(gateway, tenant, 'GET', path);
    const once = await count();
    for (let path = 0; path < 50; path += 1) {
      await call(gateway, tenant, 'GET', `/unknown-${path}`);
      await call(gateway, tenant, 'DELETE', `/unknown/${path}/deeper`);
    }
    assert.equal(await count(), once);
    for (const key of (await read()).keys()) assert.ok(!key.includes(tenant.organizationId), key);
  });

  it("counts the platform's error codes, of answers and of failed statuses", async () => {
    const metric = (name: string, code: string) => `fairway_${name}{code="${code}"}`;
    const before = await read();
    const [refused, failed] = [freshRecipient(), freshRecipient()];
    const { world } = gateway.simulator;
    world.addFault({ fault: { kind: 'error', code: 131026 }, scope: { recipient: refused.slice(1) } });
    world.addFault({ fault: { kind: 'fail', code: 131049 }, scope: { recipient: failed.slice(1) } });
    for (const to of [refused, failed])
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'failed');
    const status = { status: 'failed', errors: [{ code: 'constructor' }], id: 'wamid.x', recipient_id: '1' };
    const value = { metadata: { phone_number_id: tenant.phoneNumberId }, statuses: [{ ...status, timestamp: '1' }] };
    const entry = [{ id: tenant.wabaId, changes: [{ field: 'messages', value }] }];
    await postWebhook(gateway, JSON.stringify({ object: 'whatsapp_business_account', entry }));
    const metrics = await until('the failed statuses are counted', async () => {
      const shown = await read();
      return shown.get(metric('webhook_failures_total', 'other')) === 1 ? shown : undefined;
    });
    const rise = (key: string) => Number(metrics.get(key)) - Number(before.get(key));
    assert.equal(rise(metric('dispatch_errors_total', '131026')), 1);
    assert.equal(rise(metric('dispatch_errors_total', '131049')), 0);
    assert.equal(rise(metric('webhook_failures_total', '131049')), 1);
  });

  it("counts answers with an error by the gateway's code", async () => {
    const count = async () => (await read()).get('fairway_http_errors_total{code="NOT_FOUND"}');
    const before = Number(await count());
    await call(gateway, tenant, 'GET', '/nope');
    assert.equal(await count(), before + 1);
  });

  it('shows the posts and the pace of each number, until its account is disconnected', async () => {
    const [first, second] = [await createTenant(gateway), await createTenant(gateway)];
    const keyOf = (name: string, { phoneNumberId }: typeof first) =>
      `fairway_number_${name}{phone_number_id="${phoneNumberId}"}`;
    for (const owner of [first, first, second])
      await untilStatus(gateway, owner, await sendTemplate(gateway, owner, freshRecipient()), 'read');
    const metrics = await read();
    assert.equal(metrics.get(keyOf('posts_total', first)), 2);
    assert.equal(metrics.get(keyOf('posts_total', second)), 1);
    assert.equal(metrics.get(keyOf('throttled_total', first)), 0);
    assert.equal(metrics.get(keyOf('pace_per_second', first)), 80);
    assert.equal(metrics.get(keyOf('allowed_per_second', first)), 80);
    assert.equal(metrics.get(keyOf('parked', first)), 0);

    const path = `/v1/wabas/${first.wabaId}`;
    assert.equal((await call(gateway, { apiKey: gateway.adminToken }, 'DELETE', `/admin${path}`)).status, 204);
    const after = await until("the number's series end", async () => {
      const shown = await read();
      return shown.has(keyOf('posts_total', first)) ? undefined : shown;
    });
    assert.deepEqual(
      [...after.keys()].filter((key) => key.includes(first.phoneNumberId)),
      [],
    );
    assert.equal(after.get(keyOf('posts_total', second)), 1);
  });
});
