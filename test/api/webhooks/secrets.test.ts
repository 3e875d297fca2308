import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, until } from '../../harness/tenant.ts';
import { type Received, startReceiver } from './receiver.ts';
import { createWebhook, emitEvents } from './webhook-endpoint.ts';

function verifies(secret: string, request: Received): boolean {
  try {
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('secrets of webhook endpoints', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);

  it('after a rotation, old and new both sign for a while; without overlap, only the new', async () => {
    await using receiver = await startReceiver();
    const { id, secret } = await createWebhook(gateway, tenant, { url: receiver.url });
    const rotate = (body?: unknown) => call(gateway, tenant, 'POST', `/v1/webhooks/${id}/rotate-secret`, { body });
    const second = (await rotate()).json.secret as string;
    // A delivery in flight while a secret changes is signed with the old one.
    const lastOf = (signer: string) =>
      until(`a delivery signed with ${signer === second ? 'the second' : 'the third'} secret`, async () => {
        await emitEvents(gateway, tenant, 1);
        return receiver.received.findLast((request) => verifies(signer, request));
      });
    const during = await lastOf(second);
    assert.ok(verifies(secret, during));
    const third = (await rotate({ overlap_seconds: 0 })).json.secret as string;
    const afterwards = await lastOf(third);
    assert.ok(!verifies(second, afterwards));
    assert.ok(!verifies(secret, afterwards));
  });

  it('a rotated secret signs the next delivery of the answering node', async () => {
    await using receiver = await startReceiver();
    // The endpoint receives only test events.
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, events: ['webhook.disabled'] });
    for (let round = 1; round <= 5; round += 1) {
      const rotated = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/rotate-secret`, {
        body: { overlap_seconds: 0 },
      });
      assert.equal((await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`)).status, 202);
      const delivery = await until('the test event came', () => receiver.received[round - 1]);
      assert.ok(verifies(rotated.json.secret, delivery));
    }
  });

  it('ed25519: the public key verifies the signatures', async () => {
    await using receiver = await startReceiver();
    const { public_key = '' } = await createWebhook(gateway, tenant, { url: receiver.url, signing: 'ed25519' });
    await emitEvents(gateway, tenant, 1);
    const { headers, body } = await until('the event came', () => receiver.received[0]);
    const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const [version, signature = ''] = String(headers['webhook-signature']).split(',');
    assert.equal(version, 'v1a');
    const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    assert.ok(verify(null, content, key, Buffer.from(signature, 'base64')));
  });
});
