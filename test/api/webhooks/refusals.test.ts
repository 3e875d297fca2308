import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, freshRecipient, until } from '../../harness/tenant.ts';
import { freshWamid, inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';
import { startReceiver } from './receiver.ts';
import { createWebhook, deliveriesOf, emitEvents } from './webhook-endpoint.ts';

describe('an endpoint that refuses some kinds of events', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  /** Starts a receiver that answers `status` to account events and 200 to everything else. */
  const startPicky = (status: number) =>
    startReceiver((request, response) => {
      response.writeHead(request.json.type === 'account.updated' ? status : 200).end();
    });

  async function receiveText(from: string, body: string): Promise<void> {
    const text = { text: { body } };
    await postChange(gateway, tenant, {
      messages: [{ ...inboundText(from, nowSeconds()), id: freshWamid(), ...text }],
    });
  }

  const endpointOf = async (id: string) => (await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`)).json;
  const textOf = ({ json }: { json: { data: { message?: { text?: { body: string } } } } }) =>
    json.data.message?.text?.body;

  for (const count of [16, 100, 1_000]) {
    it(`${count} refusals: a person's message does not wait for them`, async () => {
      await using receiver = await startPicky(400);
      await using bystander = await startReceiver();
      const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
      await createWebhook(gateway, other, { url: bystander.url });
      const refused = await emitEvents(gateway, tenant, count);
      await until(
        'all were refused once',
        () => new Set(receiver.received.map((one) => one.id)).size >= count || undefined,
      );
      await receiveText(freshRecipient().slice(1), 'is anybody there');
      const place = await until('the message came', () => {
        const found = receiver.received.findIndex((one) => textOf(one) === 'is anybody there');
        return found < 0 ? undefined : found;
      });
      const attempts = Map.groupBy(receiver.received.slice(0, place), (one) => one.id);
      for (const [event, tries] of attempts) assert.ok(tries.length <= 3, `${event}: ${tries.length} attempts`);
      const { status, failing_since: since } = await endpointOf(id);
      assert.deepEqual([status, since], ['enabled', null]);
      const [delivery] = (await deliveriesOf(gateway, tenant, id)).filter(({ event_id: event }) =>
        refused.includes(event),
      );
      assert.deepEqual([delivery?.status, delivery?.attempts[0].http_status], ['pending', 400]);
      assert.deepEqual(bystander.received, []);
    });
  }

  it('an ordered endpoint: events after a refused one of the same conversation are delivered', async () => {
    await using receiver = await startReceiver((request, response) => {
      response.writeHead(textOf(request) === 'refused' ? 422 : 200).end();
    });
    await createWebhook(gateway, tenant, { url: receiver.url, ordered: true, events: ['message.received'] });
    const from = freshRecipient().slice(1);
    for (const body of ['first', 'refused', 'second', 'third']) await receiveText(from, body);
    await until('the last one came', () => receiver.received.some((one) => textOf(one) === 'third') || undefined);
    const order = [...new Set(receiver.received.map(textOf))];
    assert.deepEqual(order, ['first', 'refused', 'second', 'third']);
  });

  it('a failing endpoint: slows down, and is only probed in the end', async () => {
    await using receiver = await startPicky(500);
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url });
    await emitEvents(gateway, tenant, 30);
    await until('it is only probed', async () => (await endpointOf(id)).status === 'failing' || undefined);
    assert.ok(receiver.received.length < 30, `${receiver.received.length} attempts`);
  });
});
