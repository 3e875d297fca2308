import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { USER_AGENT } from './user-agent.ts';

const TIMEOUT_MS = 5_000;

/**
 * Returns true if `url`, an address of the operator's configuration, leads to a gateway that knows `verifyToken`: it answers the
 * platform's handshake with the challenge. Follows no redirect.
 */
export async function verifyOwnAddress(url: string, verifyToken: string): Promise<boolean> {
  const challenge = randomBytes(8).toString('hex');
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken };
  try {
    const headers = { 'user-agent': USER_AGENT };
    const answer = await request(url, { query, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.statusCode !== 200) {
      answer.body.destroy();
      return false;
    }
    return (await answer.body.text()) === challenge;
  } catch {
    return false;
  }
}
