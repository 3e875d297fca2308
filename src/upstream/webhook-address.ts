import { type JsonObject, objectField, ownField } from './graph/json-fields.ts';

/** A webhook address. Holds origin and path only, because credentials and query may be secrets; null if it is no http(s) URL. */
export interface WebhookAddress {
  url: string | null;
}

/** The webhook addresses of a number. The platform uses the number's own first, then its account's, then the app's. */
export interface NumberWebhooks {
  number: WebhookAddress | null;
  businessAccount: WebhookAddress | null;
  app: WebhookAddress | null;
}

/** Length limit in characters; the platform accepts 200. */
const ADDRESS_LENGTH_MAX = 2_048;

/** Reads `webhook_configuration` of a number's node. */
export function numberWebhooksOf(node: JsonObject): NumberWebhooks {
  const configuration = objectField(node, 'webhook_configuration') ?? {};
  return {
    number: addressField(configuration, 'phone_number'),
    businessAccount: addressField(configuration, 'whatsapp_business_account'),
    app: addressField(configuration, 'application'),
  };
}

/** The address under `key`; null if there is none. */
export function addressField(from: JsonObject, key: string): WebhookAddress | null {
  const text = ownField(from, key);
  return typeof text === 'string' && text.trim() !== '' ? webhookAddressOf(text) : null;
}

/** True if `url`, an origin and a path, is an address of the platform's webhooks at the gateway: the one of all apps, or that of one app. */
export function isOwnWebhookAddress(publicUrl: string | null, url: string): boolean {
  const own = publicUrl === null ? null : webhookAddressOf(`${publicUrl}/webhooks/upstream`).url;
  return own !== null && (url === own || (url.startsWith(`${own}/`) && /^\d+$/.test(url.slice(own.length + 1))));
}

/** Normalizes `text` to the one spelling in which addresses are compared. */
export function webhookAddressOf(text: string): WebhookAddress {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  return { url: url === null || !/^https?:$/.test(url.protocol) ? null : url.origin + url.pathname };
}
