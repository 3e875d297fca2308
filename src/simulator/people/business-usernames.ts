import { digitsOf } from '../../core/phone-number.ts';
import { announceNow, type Platform } from '../platform.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';

export type UsernameStatus = 'approved' | 'reserved' | 'deleted';
export const usernameStatuses: readonly UsernameStatus[] = ['approved', 'reserved', 'deleted'];

/** Sets the user name of a business number and posts `business_username_updates`, which has no `username` once it is deleted. */
export async function setBusinessUsername(
  platform: Platform,
  phoneNumberId: string,
  change: { username?: string; status: UsernameStatus },
): Promise<WebhookDelivery | null> {
  const number = platform.world.getNumber(phoneNumberId);
  const { username: _, ...attributes } = number.attributes;
  const named = change.username === undefined || change.status === 'deleted' ? {} : { username: change.username };
  number.attributes = { ...attributes, ...named };
  return announceNow(platform, {
    wabaId: number.wabaId,
    field: 'business_username_updates',
    value: { display_phone_number: digitsOf(number.displayPhoneNumber), ...named, status: change.status },
    time: platform.clock.now(),
  });
}
