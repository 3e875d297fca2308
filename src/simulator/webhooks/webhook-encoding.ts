import { createHmac } from 'node:crypto';

/**
 * Serializes a webhook payload like the platform: non-ASCII characters as `\uXXXX`, slashes as `\/`. A receiver that verifies the signature
 * over re-serialized JSON instead of the received bytes fails on exactly these.
 */
export function encodeWebhook(payload: unknown): Buffer {
  const text = JSON.stringify(payload)
    .replaceAll('/', '\\/')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(text, 'latin1');
}

/** Returns the value of `X-Hub-Signature-256` for these bytes. */
export function signWebhook(appSecret: string, bytes: Buffer): string {
  return `sha256=${createHmac('sha256', appSecret).update(bytes).digest('hex')}`;
}
