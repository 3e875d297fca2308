import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { SAMPLE_FILES, startFileServer } from '../harness/file-server.ts';
import { startGateway } from '../harness/gateway.ts';
import { encodeMultipart } from '../harness/multipart.ts';
import {
  call,
  createTenant,
  freshRecipient,
  queueOf,
  readMessage,
  send,
  sendTemplate,
  until,
  untilStatus,
} from '../harness/tenant.ts';

describe('an app that requires proof of its secret', () => {
  it('a gateway with proof: accounts, sends, read receipts, templates with samples, media work', async (t) => {
    const files = await startFileServer();
    t.after(() => files.close());
    const gateway = await startGateway({
      simulator: { requireAppSecret: true },
      appSecretProof: true,
      fetchAllowCidrs: ['127.0.0.1/32'],
    });
    t.after(() => gateway.stop());
    const tenant = await createTenant(gateway);
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');

    const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.NOT_THERE' };
    assert.doesNotMatch((await send(gateway, tenant, read)).text, /appsecret_proof/);

    const header_handle = [files.serve('/sample', { body: SAMPLE_FILES.png })];
    const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, {
      body: {
        name: 'proven',
        language: 'en_US',
        category: 'UTILITY',
        components: [
          { type: 'HEADER', format: 'IMAGE', example: { header_handle } },
          { type: 'BODY', text: 'Here it is, as we promised.' },
        ],
      },
    });
    assert.equal(created.status, 200, created.text);

    const form = encodeMultipart([
      { name: 'messaging_product', value: 'whatsapp' },
      { name: 'file', value: SAMPLE_FILES.png, fileName: 'a.png', contentType: 'image/png' },
    ]);
    const uploaded = await call(gateway, tenant, 'POST', `/v24.0/${tenant.phoneNumberId}/media`, form);
    assert.equal(uploaded.status, 200, uploaded.text);
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    const file = await fetch(`${gateway.baseUrl}/v1/media/${uploaded.json.id}/download`, { headers });
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), SAMPLE_FILES.png);
    assert.equal((await call(gateway, tenant, 'DELETE', `/v24.0/${uploaded.json.id}`)).status, 200);
  });

  it('a gateway without proof: messages wait instead of failing, and resume once it has proof', async (t) => {
    const gateway = await startGateway({ clock: createFastClock(20) });
    t.after(() => gateway.stop());
    const tenants = [await createTenant(gateway), await createTenant(gateway)];
    const { settings } = gateway.simulator.world;
    settings.requireAppSecret = true;
    const waiting = await Promise.all(
      tenants.map(async (tenant) => ({ tenant, id: await sendTemplate(gateway, tenant, freshRecipient()) })),
    );
    for (const { tenant, id } of waiting) {
      await until('the queue says what for', async () => {
        const { waits_for } = await queueOf(gateway, tenant);
        return waits_for.some((reason) => /^parked: .*appsecret_proof/.test(reason)) || undefined;
      });
      assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
    }
    settings.requireAppSecret = false;
    for (const { tenant, id } of waiting) await untilStatus(gateway, tenant, id, 'read');
  });
});
