import { randomInt } from 'node:crypto';
import { request } from 'undici';

/** Performs the webhook handshake. Returns true if the receiver answers 200 with exactly the challenge. */
export async function verifyCallback(verifyToken: string, callbackUrl: string): Promise<boolean> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
  const url = new URL(callbackUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  const answer = await request(url);
  return (await answer.body.text()) === challenge && answer.statusCode === 200;
}
