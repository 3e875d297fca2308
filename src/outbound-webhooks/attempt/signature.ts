import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { WebhookFormat, WebhookSigning } from '../endpoint.ts';

const SECRET_BYTES = 32;
const SEED_BYTES = 32;

/**
 * Creates a secret as text.
 * Standard Webhooks: `whsec_…` (HMAC) or `whsk_…` (ed25519: seed and public key).
 * The upstream's format: 64 hexadecimal digits. Like an app secret, the digits themselves are the key.
 */
export function createSecret(format: WebhookFormat, signing: WebhookSigning): string {
  if (format === 'cloud_api') return randomBytes(SECRET_BYTES).toString('hex');
  if (signing === 'hmac') return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return `whsk_${Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64')}`;
}

/** Returns the `whpk_…` public key that belongs to a `whsk_…` secret. */
export function publicKeyOf(secret: string): string {
  return `whpk_${keyBytes(secret).subarray(SEED_BYTES).toString('base64')}`;
}

/** Parsed secret, ready to sign many times. */
export interface SigningKey {
  version: 'v1' | 'v1a';
  key: KeyObject;
}

/** Reads a `whsec_…` or `whsk_…` secret. */
export function signingKeyOf(secret: string): SigningKey {
  const bytes = keyBytes(secret);
  if (secret.startsWith('whsec_')) return { version: 'v1', key: createSecretKey(bytes) };
  const [d, x] = [bytes.subarray(0, SEED_BYTES), bytes.subarray(SEED_BYTES)];
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: d.toString('base64url'), x: x.toString('base64url') };
  return { version: 'v1a', key: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

/**
 * Returns the `webhook-signature` header of Standard Webhooks 1.0.0: one signature per key over `id.timestamp.body`, separated by spaces.
 * `timestampSeconds` is the time of the attempt.
 */
export function signStandard(keys: readonly SigningKey[], id: string, timestampSeconds: number, body: string): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return keys.map((key) => `${key.version},${signatureOf(key, content)}`).join(' ');
}

/** Returns the `X-Hub-Signature-256` header as the upstream puts it on its webhooks, with `secret` as the app secret. */
export function signHub(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function signatureOf({ version, key }: SigningKey, content: string): string {
  if (version === 'v1') return createHmac('sha256', key).update(content).digest('base64');
  return sign(null, Buffer.from(content), key).toString('base64');
}

function keyBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
}
