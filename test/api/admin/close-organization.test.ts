import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

describe('closing an organization', () => {
  const gateway = useGateway();

  const usageOf = (organizationId: string) =>
    admin<{ accepted: number; sent: number; failed: number }>(gateway, 'GET', `/organizations/${organizationId}/usage`);

  it('ends its keys, accounts and endpoints and no others; its usage remains', async () => {
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const { organizationId } = tenant;
    for (const owner of [tenant, other]) {
      const endpoint = await call(gateway, owner, 'POST', '/v1/webhooks', {
        body: { url: 'https://hooks.example.com/' },
      });
      assert.equal(endpoint.status, 201, endpoint.text);
    }
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true });
    await sendTemplate(gateway, tenant, freshRecipient());

    const listKeys = async () =>
      (await askAdmin(gateway, 'GET', `/organizations/${organizationId}/api-keys`)).json.data;
    const close = async () => {
      const closed = await askAdmin(gateway, 'DELETE', `/organizations/${organizationId}`);
      assert.deepEqual([closed.status, closed.text], [204, '']);
    };
    await close();
    const keys = await listKeys();
    assert.ok(keys.every((key: { disabled_at: string | null }) => key.disabled_at !== null));
    await close();
    await askAdmin(gateway, 'DELETE', `/api-keys/${keys[0].id}`);
    assert.deepEqual(await listKeys(), keys, 'since when they are disabled');
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 401, 'UNAUTHORIZED');
    assert.deepEqual((await askAdmin(gateway, 'GET', `/organizations/${organizationId}/wabas`)).json, {
      data: [],
      next: null,
    });
    await until('what waited has failed', async () => (await usageOf(organizationId)).failed === 1 || undefined);
    const { accepted, sent } = await usageOf(organizationId);
    assert.deepEqual([accepted, sent], [2, 1]);
    assert.equal((await askAdmin(gateway, 'GET', `/organizations/${organizationId}`)).status, 200);
    const endpoints = await gateway.app.db.query<{ organizationId: string; disabled: boolean }>({
      text: 'SELECT organization_id AS "organizationId", disabled_at IS NOT NULL AS disabled FROM webhook_endpoint',
    });
    for (const endpoint of endpoints) assert.equal(endpoint.disabled, endpoint.organizationId === organizationId);
    await untilStatus(gateway, other, await sendTemplate(gateway, other, freshRecipient()), 'read');
  });

  it('answers 404 for an unknown organization', async () => {
    assertError(await askAdmin(gateway, 'DELETE', `/organizations/${newId()}`), 404, 'NOT_FOUND');
    assertError(await askAdmin(gateway, 'DELETE', '/organizations/nobody'), 404, 'NOT_FOUND');
    assert.equal((await call(gateway, undefined, 'DELETE', `/admin/v1/organizations/${newId()}`)).status, 401);
  });
});
