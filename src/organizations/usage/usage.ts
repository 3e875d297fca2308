import { COUNTERS, FAMILIES } from './usage-metrics.ts';

/** Usage of an organization in one billing month. */
export interface Usage {
  /** `YYYY-MM`, UTC */
  month: string;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
  byCategory: Record<string, number>;
  byPricing: Record<string, number>;
  /** Millionths of the budget's currency unit. */
  spentMicros: number;
}

/**
 * Sorts the ledger's metrics of one month into a report. A metric without a count is 0; a category or pricing without messages is left
 * out.
 */
export function summarizeUsage(month: string, counters: readonly { metric: string; value: number }[]): Usage {
  const values = new Map(counters.map(({ metric, value }) => [metric, value]));
  const counter = (name: keyof typeof COUNTERS) => values.get(COUNTERS[name]) ?? 0;
  const family = (name: keyof typeof FAMILIES) =>
    Object.fromEntries(
      [...values].flatMap(([metric, value]) =>
        metric.startsWith(FAMILIES[name]) && value !== 0 ? [[metric.slice(FAMILIES[name].length), value]] : [],
      ),
    );
  return {
    month,
    accepted: counter('accepted'),
    sent: counter('sent'),
    delivered: counter('delivered'),
    failed: counter('failed'),
    byCategory: family('byCategory'),
    byPricing: family('byPricing'),
    spentMicros: counter('spentMicros'),
  };
}
