import type { WebhookEvent } from '../api-shapes.ts';
import { FairwayError } from '../errors.ts';
import { bytesOfBase64, bytesOfHex, bytesOfText, concatBytes } from './bytes.ts';

/** The delivery does not come from the gateway, or is too old. */
export class WebhookVerificationError extends FairwayError {
  override name = 'WebhookVerificationError';
}

/** A delivery as it arrived. */
export interface Delivery {
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body as received: a parsed and printed body has another signature. */
  body: string | Uint8Array;
  /** The secret of the endpoint, or several while they are rotated. With ed25519 the public key, `whpk_…`. */
  secret: string | readonly string[];
}

/** Settings of the verification of the format `standard`. */
export interface StandardDelivery extends Delivery {
  /** Largest difference of the clocks in seconds. Default 300. */
  toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery in the format `standard` and returns its event.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(delivery: StandardDelivery): Promise<WebhookEvent & { id: string }> {
  const { headers, body, secret, toleranceSeconds = TOLERANCE_SECONDS } = delivery;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is no number.');
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('The delivery is too old, or too new.');
  const signed = concatBytes(bytesOfText(`${id}.${timestamp}.`), bytesOfBody(body));
  for (const one of listOf(secret)) {
    const isPublicKey = one.startsWith('whpk_');
    const version = isPublicKey ? 'v1a,' : 'v1,';
    const key = bytesOfBase64(one.replace(/^whsec_|^whpk_/, ''));
    if (key === null) throw new TypeError('The secret is not `whsec_` or `whpk_` and Base64.');
    for (const signature of signatures) {
      const bytes = signature.startsWith(version) ? bytesOfBase64(signature.slice(version.length)) : null;
      if (bytes === null) continue;
      const isRight = isPublicKey ? await isEd25519(key, bytes, signed) : await isHmac(key, bytes, signed);
      if (isRight) return { ...(parse(body) as WebhookEvent), id };
    }
  }
  throw new WebhookVerificationError('No signature fits.');
}

/**
 * Verifies a delivery in the format `cloud_api` and returns the platform's payload. During a rotation the new secret signs in
 * `X-Hub-Signature-256-Next`.
 * @throws WebhookVerificationError
 */
export async function verifyCloudApiWebhook({ headers, body, secret }: Delivery): Promise<unknown> {
  const given = [headerOf(headers, 'x-hub-signature-256'), headerOf(headers, 'x-hub-signature-256-next', '')];
  const signed = bytesOfBody(body);
  for (const one of listOf(secret)) {
    for (const signature of given) {
      const bytes = signature.startsWith('sha256=') ? bytesOfHex(signature.slice('sha256='.length)) : null;
      if (bytes !== null && (await isHmac(bytesOfText(one), bytes, signed))) return parse(body);
    }
  }
  throw new WebhookVerificationError('No signature fits.');
}

type Bytes = Uint8Array<ArrayBuffer>;

async function isHmac(key: Bytes, signature: Bytes, signed: Bytes): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // `verify` compares in constant time.
  return crypto.subtle.verify(
    'HMAC',
    await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']),
    signature,
    signed,
  );
}

async function isEd25519(key: Bytes, signature: Bytes, signed: Bytes): Promise<boolean> {
  const algorithm = { name: 'Ed25519' };
  return crypto.subtle.verify(
    algorithm,
    await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']),
    signature,
    signed,
  );
}

function headerOf(headers: Delivery['headers'], name: string, fallback?: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const found = entries.find(([key]) => key.toLowerCase() === name)?.[1];
  const value = Array.isArray(found) ? found[0] : found;
  if (value !== undefined) return value;
  if (fallback === undefined) throw new WebhookVerificationError(`${name} is absent.`);
  return fallback;
}

function listOf(secret: Delivery['secret']): readonly string[] {
  return typeof secret === 'string' ? [secret] : secret;
}

function bytesOfBody(body: Delivery['body']): Bytes {
  return typeof body === 'string' ? bytesOfText(body) : new Uint8Array(body);
}

function parse(body: Delivery['body']): unknown {
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
