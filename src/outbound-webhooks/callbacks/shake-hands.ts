import { randomInt } from 'node:crypto';
import { invalid, unavailable } from '../../core/errors.ts';
import { Slots } from '../../core/limits/slots.ts';
import type { Egress, WebhookOutcome } from '../../egress/index.ts';

/** Handshakes in progress: they lead to addresses that clients choose. */
const HANDSHAKES = { max: 64, partyMax: 4 };
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const CHALLENGE_MAX = 2 ** 31 - 1;

export type ShakeHands = (organizationId: string, url: string, verifyToken: string) => Promise<void>;

/**
 * Returns a function that asks an address for a challenge, as the platform does before it posts webhooks there. It raises VALIDATION_ERROR
 * unless the address answers with the challenge, and UNAVAILABLE if the organization has too many handshakes in progress.
 */
export function createHandshake(egress: Pick<Egress, 'askWebhook'>): ShakeHands {
  const slots = new Slots(HANDSHAKES);
  return async (organizationId, url, verifyToken) => {
    using slot = slots.tryAcquire(organizationId);
    if (slot === undefined) throw unavailable('Too many addresses are being verified. Try again.');
    const challenge = String(randomInt(CHALLENGE_MAX));
    const asked = new URL(url);
    for (const [name, value] of [
      ['hub.mode', 'subscribe'],
      ['hub.challenge', challenge],
      ['hub.verify_token', verifyToken],
    ] as const)
      asked.searchParams.append(name, value);
    const outcome = await egress.askWebhook(asked.href, {
      party: organizationId,
      headers: { accept: '*/*' },
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    const problem = problemOf(outcome, challenge);
    if (problem !== undefined) throw invalid(`The address could not be verified: ${problem}.`);
  };
}

/** Returns the reason why an answer does not verify its address, as the end of a sentence; undefined if it does. */
function problemOf(outcome: WebhookOutcome, challenge: string): string | undefined {
  if (outcome.kind === 'failed') return `it gave no answer (${outcome.reason})`;
  if (outcome.status !== 200) return `it answered with the status ${outcome.status} instead of 200`;
  return outcome.bodyStart.trim() === challenge ? undefined : 'its answer is not the value of "hub.challenge" alone';
}
