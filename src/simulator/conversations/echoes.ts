import { digitsOf } from '../../core/phone-number.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { Recipient } from '../messages/recipient.ts';
import { scheduleStatuses } from '../messages/schedule-statuses.ts';
import { personNamed, phoneMember, recordExchange, scopeOf, userIdMembers, visibleWaId } from '../people/identity.ts';
import { userIdOf } from '../people/person.ts';
import { announceNow, type Platform } from '../platform.ts';
import { priceMessage } from '../webhooks/pricing.ts';
import { metadataOf } from '../webhooks/status-webhooks.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';

export interface EchoSeed {
  phoneNumberId: string;
  /** The user's number, digits or with `+`, or a user id. */
  to: string;
  /** The sender: the business app, or the agent that holds the conversation. */
  by: 'app' | 'agent';
  /** Default `text`. */
  type?: string;
  /** Contents under the type's name; default: a sample text. */
  content?: unknown;
}

/**
 * Sends a message from a number without the API and posts its echo, then its statuses: from the business app in the field
 * `smb_message_echoes`, from an agent in the field `standby`. Opens no window. An agent has to hold the conversation and needs an open
 * window; otherwise this rejects.
 */
export async function sendEcho(
  platform: Platform,
  seed: EchoSeed,
): Promise<{ wamid: string; delivery: WebhookDelivery | null }> {
  const number = platform.world.getNumber(seed.phoneNumberId);
  const person = personNamed(platform, seed.to);
  const acceptedAt = platform.clock.now();
  const isAgent = seed.by === 'agent';
  if (isAgent && !platform.conversations.isHeldByAgent(number.id, person.key)) {
    throw new Error('No agent holds this conversation.');
  }
  if (isAgent && !platform.conversations.isWindowOpen(number.id, person.key, acceptedAt)) {
    throw new Error('An agent cannot write outside of the service window.');
  }
  const wamid = platform.ids.wamid(person.waId);
  const type = seed.type ?? 'text';
  const contents = { type, [type]: seed.content ?? { body: 'Sent without the API' } };
  const waId = visibleWaId(platform, number, person);
  recordExchange(platform, number, person, { atMs: acceptedAt, showsPhone: waId !== null });
  const recipient: Recipient =
    waId === null
      ? { kind: 'user_id', input: seed.to, reported: userIdOf(person, scopeOf(platform, number.wabaId)), person }
      : { kind: 'phone', input: waId, reported: waId, person };
  const timestamp = String(Math.floor(acceptedAt / 1000));
  const echo: JsonObject = isAgent
    ? {
        id: wamid,
        timestamp,
        message: {
          messaging_product: 'whatsapp',
          [waId === null ? 'recipient' : 'to']: recipient.reported,
          ...contents,
        },
      }
    : {
        from: digitsOf(number.displayPhoneNumber),
        ...phoneMember(platform, 'to', waId),
        ...userIdMembers(platform, number, person, 'to_'),
        id: wamid,
        timestamp,
        ...contents,
      };
  const reported = { message_echoes: [echo] };
  const frame = { messaging_product: 'whatsapp', metadata: metadataOf(number) };
  const delivery = await announceNow(platform, {
    wabaId: number.wabaId,
    field: isAgent ? 'standby' : 'smb_message_echoes',
    value: { ...frame, ...(isAgent ? { standby: reported } : reported) },
  });
  const pricing = priceMessage({
    template: null,
    road: 'messages',
    isDirectSend: false,
    freeEntryPointUntil: null,
    isFreeService: true,
    moved: undefined,
  });
  await scheduleStatuses(
    platform,
    { wamid, number, recipient, callbackData: null, acceptedAt, pricing },
    { isReaction: false, latenciesMs: platform.settings.statusLatencyMs, failure: null, faults: [] },
    isAgent ? 'standby' : 'messages',
  );
  return { wamid, delivery };
}
