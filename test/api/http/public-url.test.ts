import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { call } from '../../harness/tenant.ts';

const PUBLIC_URL = 'https://messaging.example.com/fairway';

describe('behind a proxy that ends TLS', () => {
  const gateway = useGateway({ publicUrl: PUBLIC_URL });
  const tenant = useTenant(gateway);

  it('a media URL is one that clients can reach', async () => {
    const form = encodeMultipart([
      { name: 'phone_number', value: tenant.phoneNumber },
      { name: 'file', value: Buffer.from('%PDF-1.7'), fileName: 'a.pdf', contentType: 'application/pdf' },
    ]);
    const { media_id: id } = (await call(gateway, tenant, 'POST', '/v1/media/upload', form)).json;
    const { json } = await call(gateway, tenant, 'GET', `/v24.0/${id}?phone_number_id=${tenant.phoneNumberId}`);
    assert.equal(json.url, `${PUBLIC_URL}/v1/media/${id}/download?phone_number_id=${tenant.phoneNumberId}`);
  });

  it('links between pages are absolute and usable', async () => {
    const path = `/v24.0/${tenant.wabaId}/message_templates`;
    const { json } = await call(gateway, tenant, 'GET', `${path}?limit=1&access_token=secret`);
    const next: string = json.paging.next;
    assert.ok(next.startsWith(`${PUBLIC_URL}${path}?`), next);
    assert.ok(!next.includes('secret'));
    const second = await call(gateway, tenant, 'GET', next.slice(PUBLIC_URL.length));
    assert.notEqual(second.json.data[0].id, json.data[0].id);
  });

  it('links between pages repeat the whole query, question marks included', async () => {
    const path = `/v24.0/${tenant.wabaId}/message_templates`;
    const { json } = await call(gateway, tenant, 'GET', `${path}?x=what?&limit=1`);
    assert.equal(new URL(json.paging.next).searchParams.get('limit'), '1');
    assert.equal(new URL(json.paging.next).searchParams.get('x'), 'what?');
  });

  it('the OpenAPI file names the public address', async () => {
    const response = await fetch(`${gateway.baseUrl}/openapi.json`);
    assert.deepEqual(((await response.json()) as { servers: unknown }).servers, [{ url: PUBLIC_URL }]);
  });
});
