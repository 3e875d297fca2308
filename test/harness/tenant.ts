import { randomInt } from 'node:crypto';
import type { NumberSeed, TemplateSeed } from '../../src/simulator/index.ts';
import type { Gateway } from './gateway.ts';

/** The parts of a gateway that these functions need, whether it runs in this process or in another. */
export type Served = Pick<Gateway, 'baseUrl' | 'adminToken' | 'simulator'>;

export interface Tenant {
  organizationId: string;
  apiKey: string;
  wabaId: string;
  phoneNumberId: string;
  phoneNumber: string;
  accountId: string;
}

export interface TenantSeed {
  number?: Partial<NumberSeed>;
  templates?: TemplateSeed[];
}

const BODY_WITH_ONE_PARAMETER = {
  type: 'BODY',
  text: 'Your order {{1}} is on its way today.',
  example: { body_text: [['A-1042']] },
};

/** Templates of a tenant that does not name others. */
export const DEFAULT_TEMPLATES: TemplateSeed[] = [
  { name: 'order_update', language: 'en_US', category: 'UTILITY', components: [BODY_WITH_ONE_PARAMETER] },
  { name: 'spring_sale', language: 'en_US', category: 'MARKETING' },
  {
    name: 'login_code',
    language: 'en_US',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
  },
  { name: 'greeting', language: 'en_US', category: 'UTILITY' },
  { name: 'greeting', language: 'de', category: 'UTILITY' },
  { name: 'in_review', language: 'en_US', category: 'UTILITY', status: 'PENDING' },
];

let tenants = 0;

/** Creates an organization with a key and a connected WABA with one number, through the admin API. */
export async function createTenant(gateway: Served, seed: TenantSeed = {}): Promise<Tenant> {
  tenants += 1;
  const serial = String(randomInt(100_000, 999_999)) + String(tenants).padStart(4, '0');
  const wabaId = `7${serial}`;
  const phoneNumberId = `8${serial}`;
  const phoneNumber = `1555${serial}`;
  const accessToken = `EAAtest${serial}`;
  gateway.simulator.world.addWaba({
    id: wabaId,
    accessToken,
    numbers: [{ id: phoneNumberId, displayPhoneNumber: `+${phoneNumber}`, ...seed.number }],
    templates: seed.templates ?? DEFAULT_TEMPLATES,
  });
  const organization = await admin<{ id: string }>(gateway, 'POST', '/organizations', { name: `Tenant ${serial}` });
  const { key } = await issueKey(gateway, { organizationId: organization.id });
  const waba = await connectWaba(gateway, organization.id, wabaId);
  return {
    organizationId: organization.id,
    apiKey: key,
    wabaId,
    phoneNumberId,
    phoneNumber,
    accountId: waba.numbers[0]!.account_id,
  };
}

/** Calls the admin API; throws unless the answer is 2xx. */
export async function admin<Answer>(gateway: Served, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${gateway.baseUrl}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.adminToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** Calls the admin API; returns any answer. */
export function askAdmin(gateway: Served, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(gateway, { apiKey: gateway.adminToken }, method, `/admin/v1${path}`, body === undefined ? {} : { body });
}

/** Connects a business account to an organization, for the first time or again, with its token at the platform. */
export function connectWaba(
  gateway: Served,
  organizationId: string,
  wabaId: string,
): Promise<{ numbers: { account_id: string; phone_number_id: string }[] }> {
  const accessToken = gateway.simulator.world.accounts.findWaba(wabaId)?.accessToken;
  const body = { waba_id: wabaId, access_token: accessToken };
  return admin(gateway, 'POST', `/organizations/${organizationId}/wabas`, body);
}

/** Limits of an API key, as the admin API takes them. */
export interface KeyLimits {
  scopes?: string[];
  phone_number_ids?: string[];
  source_ranges?: string[];
  expires_at?: string;
  messages_per_minute?: number;
}

/** Issues another API key of a tenant. */
export function issueKey(
  gateway: Served,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  limits: KeyLimits = {},
): Promise<{ id: string; key: string }> {
  return admin(gateway, 'POST', `/organizations/${organizationId}/api-keys`, { name: 'test', ...limits });
}

/** Pauses a tenant's number. */
export async function pause(gateway: Served, { phoneNumberId }: Tenant): Promise<void> {
  await admin(gateway, 'PATCH', `/numbers/${phoneNumberId}`, { paused: true });
}

export async function resume(gateway: Served, { phoneNumberId }: Tenant): Promise<void> {
  await admin(gateway, 'PATCH', `/numbers/${phoneNumberId}`, { paused: false });
}

/** Returns the queue of a tenant's number, as the admin API shows it. */
export async function queueOf(gateway: Served, { phoneNumberId }: Tenant) {
  const { numbers } = await admin<{
    numbers: { queued: number; messages_per_second: number; waits_for: string[]; parked_until: string | null }[];
  }>(gateway, 'GET', `/queue?phone_number_id=${phoneNumberId}`);
  return numbers[0] ?? { queued: 0, messages_per_second: 0, waits_for: [], parked_until: null };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  json: any;
}

/** Calls the public API as a tenant. A string body is sent unchanged. */
export async function call(
  gateway: Served,
  tenant: { apiKey: string } | undefined,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body, headers } = options;
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method,
    headers: {
      ...(tenant && { authorization: `Bearer ${tenant.apiKey}` }),
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Sends one message as a tenant. */
export function send(
  gateway: Served,
  tenant: Tenant,
  body: unknown,
  options: { headers?: Record<string, string>; query?: string } = {},
): Promise<Answer> {
  const { query = '', headers } = options;
  return call(gateway, tenant, 'POST', `/v1/${tenant.phoneNumberId}/messages${query}`, {
    body,
    ...(headers && { headers }),
  });
}

/** Reads one message as a tenant; fails unless it exists. */
export async function readMessage(gateway: Served, tenant: Tenant, id: string): Promise<Answer['json']> {
  const answer = await call(gateway, tenant, 'GET', `/v1/messages/${id}`);
  if (answer.status !== 200) throw new Error(`GET message: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Waits until a message has reached one of these statuses, and returns it. */
export function untilStatus(
  gateway: Served,
  tenant: Tenant,
  id: string,
  ...statuses: string[]
): Promise<Answer['json']> {
  return until(`message ${id} is ${statuses.join(' or ')}`, async () => {
    const message = await readMessage(gateway, tenant, id);
    return statuses.includes(message.status) ? message : undefined;
  });
}

/** Sends a template that must be accepted, and returns the message's id. */
export async function sendTemplate(
  gateway: Served,
  tenant: Tenant,
  to: string,
  name?: string,
  extra: Record<string, unknown> = {},
): Promise<string> {
  const answer = await send(gateway, tenant, { ...templateTo(to, name), ...extra });
  if (answer.status !== 202) throw new Error(`send: ${answer.status} ${answer.text}`);
  return answer.json.messages[0].id as string;
}

/** Sends a template that the upstream must accept at once, and returns both ids of the message. */
export async function sendNow(
  gateway: Served,
  tenant: Tenant,
  to = freshRecipient(),
  name?: string,
): Promise<{ id: string; wamid: string }> {
  const answer = await send(gateway, tenant, templateTo(to, name), { query: '?sync=true' });
  if (answer.status !== 200) throw new Error(`send: ${answer.status} ${answer.text}`);
  return answer.json.messages[0];
}

/** Returns the requests for messages to `to` that have reached the platform. */
export function sendsTo(gateway: Pick<Served, 'simulator'>, to: string) {
  return gateway.simulator.world.sends.list({ to });
}

/** Returns a person with an open 24-hour window, who has just written to the tenant's number. */
export async function writtenRecipient(gateway: Served, tenant: Tenant): Promise<string> {
  const to = freshRecipient();
  await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to });
  return to;
}

/** Builds a text send to `to`. */
export function textTo(to: string, body = 'Your table is ready.'): Record<string, unknown> {
  return { messaging_product: 'whatsapp', to, type: 'text', text: { body } };
}

let recipients = randomInt(1_000_000, 4_000_000);

/** Returns a person's number that no other test of this process uses. */
export function freshRecipient(): string {
  recipients += 1;
  return `+1202${recipients}`;
}

const CODE = [{ type: 'text', text: '482913' }];

/** Builds a template send to `to`; `login_code` gets its code, in the text and on the button. */
export function templateTo(to: string, name = 'spring_sale', extra: Record<string, unknown> = {}) {
  const components = [
    { type: 'body', parameters: CODE },
    { type: 'button', sub_type: 'url', index: '0', parameters: CODE },
  ];
  return {
    messaging_product: 'whatsapp',
    to,
    type: 'template',
    template: { name, language: { code: 'en_US' }, ...(name === 'login_code' && { components }), ...extra },
  };
}

/** Polls until `probe` returns something other than undefined; fails after a minute, or after `withinMs`. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
