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

/** Name and limits of a new key; absent members do not limit. */
export type KeyBody = { name?: string | undefined } & { [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined };

/** Issues an API key. */
export function createKey(api: Api, tenantId: string, body: KeyBody): Promise<NewKey> {
  return api.post<NewKey>(`${tenantPath(tenantId)}/api-keys`, body);
}

/** Lists the API keys of a tenant, newest first. */
export async function listKeys(api: Api, tenantId: string): Promise<ListedKey[]> {
  return (await api.get<{ data: ListedKey[] }>(`${tenantPath(tenantId)}/api-keys`)).data;
}

/** Disables an API key for good. */
export async function disableKey(api: Api, id: string): Promise<void> {
  await api.request('DELETE', `/admin/v1/api-keys/${encodeURIComponent(id)}`);
}

/** Renders a new API key for people. */
export function renderNewKey({ id, key, name }: NewKey): string {
  const fields = renderFields([
    ['id', id],
    ['name', name],
    ['key', key],
  ]);
  return `${fields}\nStore the key now: it is not shown again.`;
}
