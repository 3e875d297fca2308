import { createHmac } from 'node:crypto';

/** Proves that whoever uses an access token knows the secret of its app as well, which an app may require of every call: lower-case hex. */
export function proveAppSecret(appSecret: string, token: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}
