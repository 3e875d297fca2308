import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentCursor, type ListedEvent, pullAll } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, until } from '../../harness/tenant.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

describe('events of templates', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);

  const template = (name: string) => {
    const found = gateway.simulator.world.accounts.findTemplateByName(tenant.wabaId, name, 'en_US');
    assert.ok(found, name);
    return found;
  };

  async function eventsOf(work: () => Promise<unknown>): Promise<ListedEvent[]> {
    const start = await currentCursor(gateway, tenant);
    await work();
    return await pullAll(gateway, tenant, start);
  }

  it('report a status from a webhook once, with the previous status', async () => {
    const { id } = template('spring_sale');
    const events = await eventsOf(async () => {
      await gateway.simulator.world.setTemplateStatus(id, { status: 'PAUSED' });
      await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    });
    assert.deepEqual(
      events.map((event) => event.type),
      ['template.status_updated'],
    );
    const { template_id, name, language, status, previous_status, waba_id } = events[0].data;
    assert.deepEqual(
      { template_id, name, language, status, previous_status, waba_id },
      {
        template_id: id,
        name: 'spring_sale',
        language: 'en_US',
        status: 'PAUSED',
        previous_status: 'APPROVED',
        waba_id: tenant.wabaId,
      },
    );
  });

  it('report a status found by reading, and not again when its webhook arrives', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    const { world } = gateway.simulator;
    const { id } = template('login_code');
    const url = world.settings.webhookUrl;
    world.setWebhookUrl(null);
    const found = await eventsOf(async () => {
      await world.setTemplateStatus(id, { status: 'DISABLED' });
      await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    });
    assert.deepEqual(
      found.map((event) => [event.type, event.data.status]),
      [['template.status_updated', 'DISABLED']],
    );
    world.setWebhookUrl(url);
    const told = await eventsOf(() => world.setTemplateStatus(id, { status: 'DISABLED' }));
    assert.deepEqual(told, []);
    const { json } = await until("it is told in the platform's own format", () => receiver.received[0]);
    const [{ id: entryId, time, changes }] = json.entry;
    assert.equal(entryId, tenant.wabaId);
    assert.equal(time, Math.floor(Date.parse(found[0].timestamp) / 1000));
    assert.deepEqual(changes, [
      {
        field: 'message_template_status_update',
        value: {
          event: 'DISABLED',
          message_template_id: Number(id),
          message_template_name: 'login_code',
          message_template_language: 'en-US',
          reason: found[0].data.reason,
        },
      },
    ]);
  });

  it('report quality and category', async () => {
    const { world } = gateway.simulator;
    const { id } = template('greeting');
    const rated = await eventsOf(() => world.setTemplateQuality(id, 'YELLOW'));
    assert.deepEqual(
      rated.map((event) => [event.type, event.data.quality_score]),
      [['template.quality_updated', 'YELLOW']],
    );
    const moved = await eventsOf(() => world.setTemplateCategory(id, 'MARKETING'));
    assert.deepEqual(
      moved.map((event) => [event.type, event.data.category, event.data.previous_category]),
      [['template.category_updated', 'MARKETING', 'UTILITY']],
    );
  });

  it("report a deletion, and only to the template's organization", async () => {
    const events = await eventsOf(() =>
      call(gateway, tenant, 'DELETE', `/v1/${tenant.wabaId}/message_templates?name=in_review`),
    );
    assert.deepEqual(
      events.map((event) => [event.type, event.data.name]),
      [['template.status_updated', 'in_review']],
    );
    assert.deepEqual(await pullAll(gateway, stranger), []);
  });
});
