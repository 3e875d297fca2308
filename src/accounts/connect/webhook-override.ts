import {
  type AppSubscription,
  type NumberWebhooks,
  type WebhookAddress,
  webhookAddressOf,
} from '../../upstream/index.ts';

/** A setting of the platform that sends a number's statuses and messages to another address than the gateway's. */
export interface WebhookOverride {
  /** The setting, by the platform's word for what has it. */
  level: 'phone_number' | 'whatsapp_business_account';
  /** Origin and path; null if the platform's address is none. */
  url: string | null;
}

/**
 * The override that keeps a number's webhooks from the gateway; null if there is none. One that leads to the gateway at `publicUrl`, or
 * to the address of the app, is none. The account's override is read from `subscription` where the number's node does not have it.
 */
export function overrideOf(
  webhooks: NumberWebhooks,
  subscription: AppSubscription | undefined,
  publicUrl: string | null,
): WebhookOverride | null {
  const ours = publicUrl === null ? null : webhookAddressOf(`${publicUrl}/webhooks/upstream`);
  const isHere = ({ url }: WebhookAddress) => url !== null && (url === ours?.url || url === webhooks.app?.url);
  const { number } = webhooks;
  const businessAccount = webhooks.businessAccount ?? subscription?.override ?? null;
  if (number !== null) return isHere(number) ? null : { level: 'phone_number', url: number.url };
  if (businessAccount === null || isHere(businessAccount)) return null;
  return { level: 'whatsapp_business_account', url: businessAccount.url };
}
