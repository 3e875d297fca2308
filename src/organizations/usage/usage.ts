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
  const under = (prefix: string) =>
    Object.fromEntries(
      [...values].flatMap(([metric, value]) =>
        metric.startsWith(prefix) && value !== 0 ? [[metric.slice(prefix.length), value]] : [],
      ),
    );
  return {
    month,
    accepted: values.get('accepted') ?? 0,
    sent: values.get('sent') ?? 0,
    delivered: values.get('delivered') ?? 0,
    failed: values.get('failed') ?? 0,
    byCategory: under('category:'),
    byPricing: under('pricing:'),
    spentMicros: values.get('spent_micros') ?? 0,
  };
}
