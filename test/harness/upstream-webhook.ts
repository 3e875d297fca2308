import { createHmac, randomBytes } from 'node:crypto';
import { type Gateway, UPSTREAM_APP } from './gateway.ts';
import type { Tenant } from './tenant.ts';

export interface PostedWebhook {
  status: number;
  text: string;
}

/** Posts a payload to the webhook endpoint, or to that of one app, as the upstream would. A string is sent unchanged. */
export async function postWebhook(
  gateway: Pick<Gateway, 'baseUrl'>,
  payload: unknown,
  options: { secret?: string; signature?: string | null; appId?: string | undefined } = {},
): Promise<PostedWebhook> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const { secret = UPSTREAM_APP.appSecret, signature = sign(secret, body), appId } = options;
  const response = await fetch(`${gateway.baseUrl}/webhooks/upstream${appId === undefined ? '' : `/${appId}`}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature !== null && { 'x-hub-signature-256': signature }) },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Returns the header with which the upstream signs a body. */
export function sign(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Posts one `messages` change of a tenant's number; fails unless the answer is 200. */
export async function postChange(
  gateway: Pick<Gateway, 'baseUrl'>,
  tenant: Tenant,
  value: Record<string, unknown>,
): Promise<void> {
  const { status, text } = await postWebhook(gateway, payloadOf(tenant, messagesChange(tenant, value)));
  if (status !== 200) throw new Error(`webhook: ${status} ${text}`);
}

/** Wraps changes of one WABA into a whole payload. */
export function payloadOf(tenant: Tenant, ...changes: unknown[]): Record<string, unknown> {
  return { object: 'whatsapp_business_account', entry: [{ id: tenant.wabaId, changes }] };
}

/** Builds a `messages` change of one number, with `statuses`, `messages` and other members. */
export function messagesChange(tenant: Tenant, value: Record<string, unknown>): Record<string, unknown> {
  const metadata = { display_phone_number: tenant.phoneNumber, phone_number_id: tenant.phoneNumberId };
  return { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
}

/** Returns the present time in Unix seconds, the upstream's format. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Builds one element of `statuses`. `at` is in Unix seconds. */
export function statusOf(
  wamid: string,
  status: string,
  at: number,
  extra: Record<string, unknown> = {},
): Record<string, unknown> {
  return { id: wamid, status, timestamp: String(at), ...extra };
}

/** Builds one element of `messages`: a person's text. `at` is in Unix seconds. */
export function inboundText(from: string, at: number, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { from, id: freshWamid(), timestamp: String(at), type: 'text', text: { body: 'Is it open?' }, ...extra };
}

/** Returns a message id in the upstream's format. */
export function freshWamid(): string {
  return `wamid.${randomBytes(24).toString('base64')}`;
}
