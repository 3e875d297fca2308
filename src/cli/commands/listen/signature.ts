import { createHmac, randomBytes } from 'node:crypto';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';

/** Creates a secret of Standard Webhooks. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Reads a `whsec_…` secret. Throws a usage error without the secret in it. */
export function readSecret(secret: string): Buffer {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
    throw new CliError(EXIT.usage, 'FAIRWAY_WEBHOOK_SECRET must be a secret of Standard Webhooks (whsec_…).');
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

/** Returns the headers that sign a delivery, as Standard Webhooks 1.0.0 wants them. */
export function signedHeaders(key: Buffer, id: string, nowMs: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
