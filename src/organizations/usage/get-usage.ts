import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { getOrganization } from '../get-organization.ts';
import { summarizeUsage, type Usage } from './usage.ts';
import { listUsage } from './usage-queries.ts';

/**
 * Returns the usage of an organization in a billing month (UTC), `YYYY-MM`; the current month when absent. Raises NOT_FOUND, and
 * VALIDATION_ERROR for a malformed month.
 */
export async function getUsage(
  deps: { db: Queryable; clock: Clock },
  organizationId: string,
  month = new Date(deps.clock.now()).toISOString().slice(0, 7),
): Promise<Usage> {
  if (!/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month)) {
    throw invalid('"month" must be a month such as 2026-08.');
  }
  await getOrganization(deps, organizationId);
  return summarizeUsage(month, await listUsage(deps.db, organizationId, month));
}
