import { createHmac, randomBytes } from 'node:crypto';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';

/** Format of delivered events: Standard Webhooks, or the platform's own payloads. */
export type Format = 'standard' | 'cloud_api';

/** Returns the headers of one attempt to deliver the body of an event. */
export type Signer = (id: string, nowMs: number, body: string) => Record<string, string>;

/** Creates a secret as endpoints of a format have it. */
export function createSecret(format: Format): string {
  const bytes = randomBytes(32);
  return format === 'standard' ? `whsec_${bytes.toString('base64')}` : bytes.toString('hex');
}

/** Returns the signer of an endpoint with this secret. Throws a usage error without the secret in it. */
export function signerOf(format: Format, secret: string): Signer {
  if (format === 'cloud_api')
    return (id, nowMs, body) => ({
      ...headersOf(id, nowMs),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    });
  const key = readSecret(secret);
  return (id, nowMs, body) => {
    const headers = headersOf(id, nowMs);
    const content = `${id}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', key).update(content).digest('base64');
    return { ...headers, 'webhook-signature': `v1,${signature}` };
  };
}

function readSecret(secret: string): Buffer {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
    throw new CliError(EXIT.usage, 'FAIRWAY_WEBHOOK_SECRET must be a secret of Standard Webhooks (whsec_…).');
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

function headersOf(id: string, nowMs: number) {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
  };
}
