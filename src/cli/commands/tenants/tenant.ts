import { renderFields } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';

/** An organization of the admin API, as far as the commands read it. */
export interface Tenant {
  id: string;
  name: string;
  /** True for a test organization. */
  test: boolean;
  weight: number;
  unknown_outcome_policy: string;
  message_ttl_seconds: number;
  created_at: string;
}

/** Returns the path of a tenant in the admin API. */
export function tenantPath(id: string): string {
  return `/admin/v1/organizations/${encodeURIComponent(id)}`;
}

/** Renders one tenant with its settings. */
export function renderTenant(tenant: Tenant): string {
  return renderFields([
    ['id', tenant.id],
    ['name', tenant.name],
    ...(tenant.test ? [['kind', 'test: reaches the built-in simulator only'] as const] : []),
    ['created', ago(tenant.created_at)],
    ['weight', tenant.weight],
    ['unknown outcome', tenant.unknown_outcome_policy],
    ['time to live', `${tenant.message_ttl_seconds} s`],
  ]);
}
