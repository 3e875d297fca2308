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

const WEBHOOK_PATH = '/webhooks/upstream';

/** Returns the path of the webhooks of a further app, or with null of the app of the environment. */
export function webhookPathOf(appId: string | null): string {
  return appId === null ? WEBHOOK_PATH : `${WEBHOOK_PATH}/${appId}`;
}

/** True if the gateway is sure to try the secrets of this app at `url`, an origin and a path. */
export function isAddressOfApp(
  publicUrl: string | null,
  url: string | null,
  { id, webhookPath }: { id: string; webhookPath: string },
): boolean {
  const own = [webhookPath, webhookPathOf(id)].map((path) => webhookAddressOf(`${publicUrl ?? ''}${path}`).url);
  return url !== null && own.includes(url);
}

/** True if `url`, an origin and a path, is an address of the platform's webhooks at the gateway: the one of all apps, or that of one app. */
export function isOwnWebhookAddress(publicUrl: string | null, url: string): boolean {
  const own = publicUrl === null ? null : webhookAddressOf(`${publicUrl}${WEBHOOK_PATH}`).url;
  return own !== null && (url === own || (url.startsWith(`${own}/`) && /^\d+$/.test(url.slice(own.length + 1))));
}

/** Normalizes `text` to the one spelling in which addresses are compared. */
export function webhookAddressOf(text: string): WebhookAddress {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  return { url: url === null || !/^https?:$/.test(url.protocol) ? null : url.origin + url.pathname };
}
