import assert from 'node:assert/strict';
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createSecret, publicKeyOf, signHub, signingKeyOf, signStandard } from './signature.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);

test('HMAC signature: any body → equals the one of the Standard Webhooks package', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (text, id) => {
      const secret = createSecret('standard', 'hmac');
      const body = JSON.stringify({ text });
      const timestamp = nowSeconds();
      const signature = signStandard([signingKeyOf(secret)], id, timestamp, body);
      assert.equal(signature, new Webhook(secret).sign(id, new Date(timestamp * 1000), body));
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
      assert.deepEqual(new Webhook(secret).verify(body, headers), { text });
    }),
  );
});

test('secret: created → 32 random bytes behind its prefix', () => {
  const secret = createSecret('standard', 'hmac');
  assert.match(secret, /^whsec_/);
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  assert.notEqual(secret, createSecret('standard', 'hmac'));
});

test('signature: two valid secrets → either one verifies it', () => {
  const secrets = [createSecret('standard', 'hmac'), createSecret('standard', 'hmac')];
  const timestamp = nowSeconds();
  const signature = signStandard(secrets.map(signingKeyOf), 'evt_1', timestamp, '{}');
  for (const secret of secrets) {
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
    assert.deepEqual(new Webhook(secret).verify('{}', headers), {});
  }
});

test('ed25519 signature: published public key → verifies it', () => {
  const secret = createSecret('standard', 'ed25519');
  const publicKey = publicKeyOf(secret);
  assert.match(secret, /^whsk_/);
  assert.match(publicKey, /^whpk_/);
  const [version, signature = ''] = signStandard([signingKeyOf(secret)], 'evt_1', 1_700_000_000, '{"a":1}').split(',');
  assert.equal(version, 'v1a');
  const x = Buffer.from(publicKey.slice(5), 'base64');
  assert.equal(x.length, 32);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
  const content = Buffer.from('evt_1.1700000000.{"a":1}');
  assert.ok(verify(null, content, key, Buffer.from(signature, 'base64')));
  assert.ok(!verify(null, Buffer.from('evt_1.1700000000.{"a":2}'), key, Buffer.from(signature, 'base64')));
});

test('upstream signature: hexadecimal secret → its digits are the key', () => {
  const secret = createSecret('cloud_api', 'hmac');
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.equal(signHub(secret, '{"ü":1}'), `sha256=${createHmac('sha256', secret).update('{"ü":1}').digest('hex')}`);
});
