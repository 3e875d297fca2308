import {
  type AppSubscription,
  isOwnWebhookAddress,
  type NumberWebhooks,
  type WebhookAddress,
} from '../../upstream/index.ts';

/** A setting of the platform that sends a number's statuses and messages to another address than the gateway's. */
export interface WebhookOverride {
  /** The level of the setting, in the platform's words. */
  level: 'phone_number' | 'whatsapp_business_account';
  /** Origin and path; null if the platform's address is invalid. */
  url: string | null;
}

/**
 * Returns the override that keeps a number's webhooks from the gateway; null if there is none. An override that leads to the gateway at
 * `publicUrl`, or to the app's address, does not count. If the number's node lacks the account's override, it comes from `subscription`.
 */
export function overrideOf(
  webhooks: NumberWebhooks,
  subscription: AppSubscription | undefined,
  publicUrl: string | null,
): WebhookOverride | null {
  const isHere = ({ url }: WebhookAddress) =>
    url !== null && (isOwnWebhookAddress(publicUrl, url) || url === webhooks.app?.url);
  const { number } = webhooks;
  const businessAccount = webhooks.businessAccount ?? subscription?.override ?? null;
  if (number !== null) return isHere(number) ? null : { level: 'phone_number', url: number.url };
  if (businessAccount === null || isHere(businessAccount)) return null;
  return { level: 'whatsapp_business_account', url: businessAccount.url };
}
