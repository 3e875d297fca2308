import type { Metric } from '../../../src/organizations/usage/usage-metrics.ts';
import { byText } from '../columns.ts';
import type { Session } from '../model-store.ts';
import { usageKey } from '../tables.ts';

/** An amount to add to a counter. */
export interface UsageAmount {
  organizationId: string;
  month: string;
  metric: Metric;
  amount: number;
}

/** Returns the first day of a time's month (UTC). */
export function monthOf(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/** Returns the locks of the changed counters, in the order in which the statements take them. */
export function usageLocks(amounts: readonly UsageAmount[]): string[] {
  const keys = new Set(
    amounts
      .filter(({ amount }) => amount !== 0)
      .map(({ organizationId, month, metric }) => usageKey(organizationId, month, metric)),
  );
  return [...keys].sort(byText).map((key) => `usage-slot/${key}`);
}

/** Adds the amounts when the session commits; missing counters begin at 0. */
export function addUsage(session: Session, amounts: readonly UsageAmount[]): void {
  for (const { organizationId, month, metric, amount } of amounts) {
    if (amount === 0) continue;
    const key = usageKey(organizationId, month, metric);
    session.write(() => session.tables.usage.set(key, (session.tables.usage.get(key) ?? 0) + amount));
  }
}
