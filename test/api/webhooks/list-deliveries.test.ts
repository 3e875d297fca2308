import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { useGateway } from '../../harness/fixtures.ts';
import { call, createTenant, freshRecipient, sendTemplate, type Tenant, until } from '../../harness/tenant.ts';
import { type Receiver, startReceiver, takeIt } from './receiver.ts';
import { createWebhook, deliveriesOf, emitEvents, settledDelivery } from './webhook-endpoint.ts';

/** More attempts than are shown after any number of replays. */
const ATTEMPTS = 5_000;

describe('deliveries of a webhook endpoint', () => {
  let tenant: Tenant;
  let receiver: Receiver;
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  before(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    tenant = await createTenant(gateway);
  });
  after(() => receiver[Symbol.asyncDispose]());

  it('show the last of their attempts after any number of replays, as on the timeline', async () => {
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, events: ['message.sent'] });
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const [told] = await until('the event came', async () => {
      const listed = await deliveriesOf(gateway, tenant, id, '?status=delivered');
      return listed.length > 0 ? listed : undefined;
    });
    const { settled_at } = await settledDelivery(gateway, tenant, id, told.event_id);
    await gateway.app.db.query({
      text: `
        INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at, http_status, failure, latency_ms, answer)
        SELECT organization_id, endpoint_number, subject_id, sequence, settled_at - n * interval '1 millisecond', 500, 'http_status', n, ''
        FROM webhook_delivery, generate_series(1, $2::int) n WHERE organization_id = $1`,
      values: [tenant.organizationId, ATTEMPTS],
    });

    const [{ attempts }] = await deliveriesOf(gateway, tenant, id);
    assert.deepEqual(
      attempts.map(({ at }: { at: string }) => Date.parse(settled_at) - Date.parse(at)),
      Array.from({ length: 36 }, (_, index) => 35 - index),
    );
    const { json } = await call(gateway, tenant, 'GET', `/v1/messages/${messageId}/timeline`);
    const retries = json.data.filter(({ outcome }: { outcome?: string }) => outcome === 'retry');
    assert.deepEqual(
      retries.map(({ at }: { at: string }) => Date.parse(settled_at) - Date.parse(at)),
      Array.from({ length: 36 }, (_, index) => 36 - index),
    );
  });

  it('page on up to the latest time that can be written', async () => {
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const events = await emitEvents(gateway, tenant, 2);
    for (const event of events) await settledDelivery(gateway, tenant, id, event);
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const [pending = ''] = await emitEvents(gateway, tenant, 1);
    await until('it is pending', async () => (await deliveriesOf(gateway, tenant, id, '?status=pending'))[0]);
    const seen: string[] = [];
    let after = '';
    do {
      const path = `/v1/webhooks/${id}/deliveries?to=9999-12-31T23:59:59Z&limit=1${after}`;
      const page = await call(gateway, tenant, 'GET', path);
      assert.equal(page.status, 200, page.text);
      seen.push(...page.json.data.map(({ event_id }: { event_id: string }) => event_id));
      after = page.json.next === null ? '' : `&after=${page.json.next}`;
    } while (after !== '');
    assert.deepEqual(seen.toSorted(), [pending, ...events].toSorted());
    receiver.answer = takeIt;
  });

  it('are filtered by whole seconds, as events are', async () => {
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    const [event = ''] = await emitEvents(gateway, tenant, 1);
    const { recorded_at } = await settledDelivery(gateway, tenant, id, event);
    const at = (afterMs: number) => new Date(Date.parse(recorded_at) + afterMs).toISOString();
    for (const [query, found] of [
      [`?from=${at(0)}`, 1],
      [`?from=${at(999)}`, 1],
      [`?from=${at(999)}&status=delivered`, 1],
      [`?from=${at(1_000)}`, 0],
      [`?to=${at(0)}`, 0],
      [`?to=${at(1)}`, 1],
      [`?from=${at(1)}&to=${at(2)}`, 1],
    ] as const) {
      assert.equal((await deliveriesOf(gateway, tenant, id, query)).length, found, query);
    }
  });
});
