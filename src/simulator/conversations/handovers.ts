import { digitsOf } from '../../core/phone-number.ts';
import { personNamed, phoneMember, userIdMembers, visibleWaId } from '../people/identity.ts';
import { announceNow, type Platform } from '../platform.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';

export interface HandoverSeed {
  phoneNumberId: string;
  /** The user's number, digits or with `+`, or a user id. */
  user: string;
  /** The side that holds the conversation from now on. */
  to: 'agent' | 'business';
}

/**
 * Hands a conversation over and posts the webhook. While an agent holds it, the user's messages come in the field `standby`; a free-form
 * message of the business takes it back. No window opens.
 */
export async function handOver(platform: Platform, seed: HandoverSeed): Promise<WebhookDelivery | null> {
  const number = platform.world.getNumber(seed.phoneNumberId);
  const person = personNamed(platform, seed.user);
  platform.conversations.handOver(number.id, person.key, seed.to);
  return announceNow(platform, {
    wabaId: number.wabaId,
    field: 'messaging_handovers',
    value: {
      messaging_product: 'whatsapp',
      type: 'control_passed',
      recipient: { display_phone_number: digitsOf(number.displayPhoneNumber), phone_number_id: number.id },
      sender: {
        ...phoneMember(platform, 'phone_number', visibleWaId(platform, number, person)),
        ...userIdMembers(platform, number, person),
      },
      timestamp: String(Math.floor(platform.clock.now() / 1000)),
      control_passed: { metadata: `to ${seed.to}` },
    },
  });
}
