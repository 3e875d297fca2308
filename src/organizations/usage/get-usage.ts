import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { getOrganization } from '../get-organization.ts';
import { type ChargeGroup, type Dimension, groupCharges, isDimension } from './charges.ts';
import { summarizeUsage, type Usage } from './usage.ts';
import { findPhoneNumberIds, listUsage } from './usage-queries.ts';

/** A month's usage, with its charges by the dimensions asked for. */
export interface GroupedUsage extends Usage {
  groups: ChargeGroup[];
}

/** Returns the dimensions with these names. Raises VALIDATION_ERROR. */
export function readDimensions(names: readonly string[]): Dimension[] {
  return names.map((name) => {
    if (isDimension(name)) return name;
    throw invalid(
      '"group_by" must name api_key, template, country, category, pricing_type or number, separated by commas.',
    );
  });
}

/** Reads a month, `YYYY-MM`; the month of `nowMs` when absent. Raises VALIDATION_ERROR. */
export function readMonth(wanted: string | undefined, nowMs: number): string {
  const month = wanted ?? new Date(nowMs).toISOString().slice(0, 7);
  if (!/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month)) throw invalid('"month" must be a month such as 2026-08.');
  return month;
}

/**
 * Returns the usage of an organization in a billing month (UTC), `YYYY-MM`; the current month when absent. `by` groups its charges.
 * Raises NOT_FOUND, and VALIDATION_ERROR for a malformed month.
 */
export async function getUsage(
  deps: { db: Queryable; clock: Clock },
  organizationId: string,
  wanted?: string,
  by: readonly Dimension[] = [],
): Promise<GroupedUsage> {
  const month = readMonth(wanted, deps.clock.now());
  const { id } = await getOrganization(deps, organizationId);
  const counters = await listUsage(deps.db, id, month);
  const groups = groupCharges(counters, by);
  return {
    ...summarizeUsage(month, counters),
    groups: by.includes('number') ? await nameNumbers(deps, id, groups) : groups,
  };
}

/** Replaces the ledger's small integers of numbers by the platform's ids. */
async function nameNumbers(
  { db }: { db: Queryable },
  organizationId: string,
  groups: readonly ChargeGroup[],
): Promise<ChargeGroup[]> {
  const numberIds = groups.map(({ values }) => Number(values.number));
  const names = await findPhoneNumberIds(db, organizationId, numberIds);
  return groups.map((group) => {
    return { ...group, values: { ...group.values, number: names.get(Number(group.values.number)) ?? null } };
  });
}
