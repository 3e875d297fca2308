import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, useFurtherNode, useGateway } from '../../harness/fixtures.ts';
import { call, freshRecipient, sendTemplate, until, untilStatus } from '../../harness/tenant.ts';
import { createTestTenant } from '../../harness/test-tenant.ts';

describe('test organization × two nodes, of which one dispatches', () => {
  const gateway = useGateway({ isOneOfSeveral: true, roles: ['api', 'deliver'] });
  useFurtherNode(gateway, { roles: ['dispatch'] });
  const tested = fill(() => createTestTenant(gateway));

  it('a template that one node has created: sent by the other one', async () => {
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, freshRecipient(), 'hello_world'), 'read');
    const components = [{ type: 'BODY', text: 'Thank you.' }];
    const body = { name: 'thanks', language: 'en_US', category: 'UTILITY', components };
    const created = await call(gateway, tested, 'POST', `/v1/${tested.wabaId}/message_templates`, { body });
    assert.equal(created.status, 200, created.text);
    await until('the template is approved', async () => {
      const { data } = (await call(gateway, tested, 'GET', '/v1/templates?name=thanks')).json;
      return data[0]?.status === 'APPROVED' || undefined;
    });
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, freshRecipient(), 'thanks'), 'read');
  });
});
