import { byText } from '../columns.ts';
import type { Session } from '../model-store.ts';
import { usageKey } from '../tables.ts';

/** An amount to be added to a counter. */
export interface UsageAmount {
  organizationId: string;
  month: string;
  metric: string;
  amount: number;
}

/** First day of the month (UTC) a time lies in. */
export function monthOf(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 7)}-01`;
}

/** The locks of the counters that change, in the order the statements take them. */
export function usageLocks(amounts: readonly UsageAmount[]): string[] {
  const keys = new Set(
    amounts
      .filter(({ amount }) => amount !== 0)
      .map(({ organizationId, month, metric }) => usageKey(organizationId, month, metric)),
  );
  return [...keys].sort(byText).map((key) => `usage-slot/${key}`);
}

/** Adds the amounts when the session commits; counters that do not exist begin. */
export function addUsage(session: Session, amounts: readonly UsageAmount[]): void {
  for (const { organizationId, month, metric, amount } of amounts) {
    if (amount === 0) continue;
    const key = usageKey(organizationId, month, metric);
    session.write(() => session.tables.usage.set(key, (session.tables.usage.get(key) ?? 0) + amount));
  }
}
