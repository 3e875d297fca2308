import { AppError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { createBoundedCache } from '../core/limits/bounded-cache.ts';
import { loadTogether } from '../database/batching/load-together.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { organizationNotFound } from './organization-not-found.ts';
import { findOrganizations, type Organization } from './queries.ts';

/** Settings that decide how an organization's messages are handled. */
export interface OrganizationPolicy
  extends Omit<Organization, 'id' | 'name' | 'test' | 'messageTtlSeconds' | 'createdAt'> {
  /** Time in milliseconds after acceptance at which an undispatched message expires. */
  messageTtlMs: number;
}

export interface OrganizationSettings {
  /** An organization's settings, at once if cached. Changes take effect within a second. Raises NOT_FOUND. */
  get(organizationId: string): OrganizationPolicy | Promise<OrganizationPolicy>;
}

const ORGANIZATIONS_MAX = 20_000;

export function createOrganizationSettings(deps: { db: Queryable; changes: Changes }): OrganizationSettings {
  const load = loadTogether((organizationIds) => findOrganizations(deps.db, organizationIds));
  const policies = createBoundedCache<string, OrganizationPolicy>({
    max: ORGANIZATIONS_MAX,
    async load(organizationId) {
      const organization = await load(organizationId);
      if (organization === undefined) throw organizationNotFound();
      const { id: _id, name: _name, test: _test, messageTtlSeconds, createdAt: _createdAt, ...policy } = organization;
      return { ...policy, messageTtlMs: messageTtlSeconds * 1000 };
    },
  });
  deps.changes.on('organization', policies.invalidate, policies.clear);
  return { get: policies.get };
}

/** Returns true if the id is an organization's, mostly without a query. */
export async function hasOrganization(settings: OrganizationSettings, organizationId: string): Promise<boolean> {
  if (!isUuid(organizationId)) return false;
  try {
    await settings.get(organizationId.toLowerCase());
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
