import type { Api } from '../../api/api.ts';
import { renderFields } from '../../terminal/table.ts';
import { tenantPath } from '../tenants/tenant.ts';

/** Limits of a key; null does not limit. */
interface KeyLimits {
  scopes: string[] | null;
  phone_number_ids: string[] | null;
  source_ranges: string[] | null;
  /** ISO 8601 */
  expires_at: string | null;
  messages_per_minute: number | null;
}

/** An API key as the admin API lists it. */
export interface ListedKey extends KeyLimits {
  id: string;
  name: string | null;
  /** Its first characters. */
  hint: string;
  created_at: string;
  disabled_at: string | null;
}

/** A new API key with its secret. */
export interface NewKey {
  id: string;
  key: string;
  name: string | null;
  created_at: string;
}

/** An API key with the secret that replaces its present one. */
export interface RotatedKey extends NewKey {
  /** ISO 8601; null if the secret before ended at once. */
  previous_until: string | null;
}

/** Name and limits of a new key; absent members do not limit. */
export type KeyBody = { name?: string | undefined } & { [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined };

/** Issues an API key. */
export function createKey(api: Api, tenantId: string, body: KeyBody): Promise<NewKey> {
  return api.post<NewKey>(`${tenantPath(tenantId)}/api-keys`, body);
}

/** Lists the API keys of a tenant, newest first. */
export async function listKeys(api: Api, tenantId: string): Promise<ListedKey[]> {
  return await Array.fromAsync(api.list<ListedKey>(`${tenantPath(tenantId)}/api-keys`));
}

/** Gives an API key a new secret. The present one works for `overlapSeconds` more. */
export function rotateKey(api: Api, id: string, overlapSeconds: number): Promise<RotatedKey> {
  return api.post<RotatedKey>(`${keyPath(id)}/rotate`, { overlap_seconds: overlapSeconds });
}

/** Disables an API key for good. */
export async function disableKey(api: Api, id: string): Promise<void> {
  await api.request('DELETE', keyPath(id));
}

function keyPath(id: string): string {
  return `/admin/v1/api-keys/${encodeURIComponent(id)}`;
}

/** Renders a new API key for people. */
export function renderNewKey({ id, key, name, previous_until }: NewKey & Partial<RotatedKey>): string {
  const fields = renderFields([
    ['id', id],
    ['name', name],
    ['key', key],
    ['secret before', previous_until && `works until ${previous_until}`],
  ]);
  return `${fields}\nStore the key now: it is not shown again.`;
}
