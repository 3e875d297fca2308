import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_FILES } from '../harness/file-server.ts';
import { useFileServer, useGateway, useTenant } from '../harness/fixtures.ts';
import { call, freshRecipient, send, until, untilStatus } from '../harness/tenant.ts';

describe('the life of a template', () => {
  // Webhooks carry whole seconds: two verdicts within one second would look like one verdict repeated.
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.1/32'], simulator: { templateReviewMs: 1_050 } });
  const tenant = useTenant(gateway);
  const files = useFileServer();

  it('is created with an image by URL, approved, sent, edited, sent again, paused and deleted', async () => {
    const world = gateway.simulator.world;
    const image = files.serve('/loaf.jpg', { body: SAMPLE_FILES.jpeg });
    const template = {
      name: 'fresh_bread',
      language: 'en',
      category: 'MARKETING',
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: [image] } },
        {
          type: 'BODY',
          text: 'Dear {{guest}}, the bread is out of the oven.',
          example: { body_text_named_params: [{ param_name: 'guest', example: 'Ada' }] },
        },
      ],
    };
    const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body: template });
    assert.deepEqual([created.status, created.json.status], [200, 'PENDING'], created.text);
    const { id } = created.json;
    const read = async () => (await call(gateway, tenant, 'GET', `/v1/templates/${id}`)).json;
    const untilApproved = () => until('it is approved', async () => (await read()).status === 'APPROVED' || undefined);
    await untilApproved();
    assert.equal((await read()).parameter_format, 'NAMED');

    const message = () => ({
      to: freshRecipient(),
      type: 'template',
      template: {
        name: 'fresh_bread',
        components: [
          { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/loaf.jpg' } }] },
          { type: 'body', parameters: [{ type: 'text', parameter_name: 'guest', text: 'Ada' }] },
        ],
      },
    });
    const untilSent = () =>
      until('it can be sent', async () => {
        const answer = await send(gateway, tenant, message());
        return answer.status === 202 ? (answer.json.messages[0].id as string) : undefined;
      });
    const sent = await untilStatus(gateway, tenant, await untilSent(), 'sent', 'delivered', 'read', 'failed');
    assert.notEqual(sent.status, 'failed', JSON.stringify(sent));
    assert.equal(sent.conversation_category, 'marketing');

    const body = {
      type: 'BODY',
      text: 'Dear {{guest}}, the last bread is out of the oven.',
      example: template.components[1]?.example,
    };
    const edit = { components: [template.components[0], body] };
    const edited = await call(gateway, tenant, 'POST', `/v1/templates/${id}`, { body: edit });
    assert.equal(edited.status, 200, edited.text);
    await untilApproved();
    assert.deepEqual((await read()).components, edit.components);
    await untilStatus(gateway, tenant, await untilSent(), 'sent', 'delivered', 'read');

    await world.setTemplateStatus(id, { status: 'PAUSED' });
    await until('a send is refused', async () => {
      const answer = await send(gateway, tenant, message());
      return answer.json.code === 'TEMPLATE_NOT_APPROVED' || undefined;
    });
    const deleted = await call(gateway, tenant, 'DELETE', `/v1/${tenant.wabaId}/message_templates?name=fresh_bread`);
    assert.deepEqual(deleted.json, { success: true }, deleted.text);
    assert.equal((await read()).status, 'DELETED');
    await until('a send finds nothing', async () => {
      const answer = await send(gateway, tenant, message());
      return answer.json.code === 'TEMPLATE_NOT_FOUND' || undefined;
    });
  });
});
