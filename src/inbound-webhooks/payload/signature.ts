import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns true if `header` (`X-Hub-Signature-256`) is the HMAC-SHA256 of the raw bytes under one of the app's secrets. All secrets are
 * tried, even after a match, so that the time taken reveals nothing.
 */
export function isSigned(body: Buffer, header: string | string[] | undefined, secrets: readonly string[]): boolean {
  const given = typeof header === 'string' ? /^sha256=([0-9a-f]{64})$/.exec(header)?.[1] : undefined;
  if (given === undefined) return false;
  const digest = Buffer.from(given, 'hex');
  let signed = false;
  for (const secret of secrets) {
    signed = timingSafeEqual(createHmac('sha256', secret).update(body).digest(), digest) || signed;
  }
  return signed;
}
