import { randomInt } from 'node:crypto';
import type { NumberSeed, TemplateSeed } from '../../src/simulator/index.ts';
import type { Gateway } from './gateway.ts';

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

export const BODY_WITH_ONE_PARAMETER = {
  type: 'BODY',
  text: 'Your order {{1}} is on its way today.',
  example: { body_text: [['A-1042']] },
};

/** Templates every tenant has unless it asks for others. */
export const DEFAULT_TEMPLATES: TemplateSeed[] = [
  { name: 'order_update', language: 'en_US', category: 'UTILITY', components: [BODY_WITH_ONE_PARAMETER] },
  { name: 'spring_sale', language: 'en_US', category: 'MARKETING' },
  { name: 'login_code', language: 'en_US', category: 'AUTHENTICATION' },
  { name: 'greeting', language: 'en_US', category: 'UTILITY' },
  { name: 'greeting', language: 'de', category: 'UTILITY' },
  { name: 'in_review', language: 'en_US', category: 'UTILITY', status: 'PENDING' },
];

let tenants = 0;

/** An organization with a key and a connected WABA with one number, made through the admin API. */
export async function createTenant(gateway: Gateway, seed: TenantSeed = {}): Promise<Tenant> {
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
  const key = await admin<{ key: string }>(gateway, 'POST', `/organizations/${organization.id}/api-keys`, {
    name: 'test',
  });
  const waba = await admin<{ numbers: { account_id: string }[] }>(
    gateway,
    'POST',
    `/organizations/${organization.id}/wabas`,
    {
      waba_id: wabaId,
      access_token: accessToken,
    },
  );
  return {
    organizationId: organization.id,
    apiKey: key.key,
    wabaId,
    phoneNumberId,
    phoneNumber,
    accountId: waba.numbers[0]!.account_id,
  };
}

/** Calls the admin API; throws unless it answers 2xx. */
export async function admin<Answer>(gateway: Gateway, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${gateway.baseUrl}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.adminToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // Tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what tests are about
  json: any;
}

/** Calls the public API as a tenant. A string body goes out as it is. */
export async function call(
  gateway: Gateway,
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
  gateway: Gateway,
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

/** A person's number no other test uses. */
export function freshRecipient(): string {
  return `+1202${randomInt(1_000_000, 9_999_999)}`;
}

/** A template send to `to`. */
export function templateTo(to: string, name = 'spring_sale', extra: Record<string, unknown> = {}) {
  return {
    messaging_product: 'whatsapp',
    to,
    type: 'template',
    template: { name, language: { code: 'en_US' }, ...extra },
  };
}

/** Polls until `probe` answers something other than undefined; fails after ten seconds. */
export async function until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`waited ten seconds for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
