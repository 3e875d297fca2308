import { createHmac } from 'node:crypto';

/**
 * Returns the proof, in lower-case hex, that the caller of an access token also knows the app's secret. An app may require it of every
 * call.
 */
export function proveAppSecret(appSecret: string, token: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}
