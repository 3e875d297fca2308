import type { CHARGED, CHARGED_MICROS } from './charges.ts';

/** Slot length of the ledger, in seconds. Each slot has its own rows, which are added to the counters when the slot is over. */
export const SLOT_SECONDS = 30;

/** The single counters of the ledger, by their names in the report. */
export const COUNTERS = {
  accepted: 'accepted',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
  /** Millionths of the budget's currency unit. */
  spentMicros: 'spent_micros',
} as const;

/** Families of counters, by their names in the report: one counter for each value, such as `category:utility`. */
export const FAMILIES = { byCategory: 'category:', byPricing: 'pricing:' } as const;

type Counter = keyof typeof COUNTERS;
type Family = keyof typeof FAMILIES;

/** The name of a counter in the ledger. */
export type Metric =
  | (typeof COUNTERS)[Counter]
  | `${(typeof FAMILIES)[Family]}${string}`
  | `${typeof CHARGED | typeof CHARGED_MICROS}|${string}`;

/** The amount that each row of a statement adds to a counter. `amount` and `value` are SQL; a family without a value (NULL) adds nothing. */
export type CountedAmount =
  | readonly [counter: Counter, amount: string]
  | readonly [family: Family, value: string, amount: string];

/** Returns an item of a FROM list that turns each row before it into rows of `metric` and `amount`. */
export function metricRows(counted: readonly CountedAmount[]): string {
  const rows = counted.map((item) =>
    item.length === 2 ? `('${COUNTERS[item[0]]}', ${item[1]})` : `('${FAMILIES[item[0]]}' || ${item[1]}, ${item[2]})`,
  );
  return `LATERAL (VALUES ${rows.join(', ')}) AS c (metric, amount)`;
}
