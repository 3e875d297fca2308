/** Metric of the charged messages of one group of the ledger; `CHARGED_MICROS` is their money. The group's dimensions follow. */
export const CHARGED = 'charged';
export const CHARGED_MICROS = 'charged_micros';

/** Dimensions of the ledger, in the order of their places in a metric. The template comes last, because its name may hold any character. */
const DIMENSIONS = ['number', 'pricing_type', 'category', 'country', 'api_key', 'template'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Returns the SQL of a metric's suffix, given SQL for each dimension; absent values are empty. */
export function chargeDimensions(sql: Readonly<Record<Dimension, string>>): string {
  return DIMENSIONS.map((dimension) => `'|' || coalesce(${sql[dimension]}, '')`).join(' || ');
}

/** A group of charged messages with the same values of the dimensions asked for. */
export interface ChargeGroup {
  /** Values of the dimensions; null if absent. */
  values: Partial<Record<Dimension, string | null>>;
  messages: number;
  micros: number;
}

/** Sums the ledger's charges over all dimensions but those of `by`. */
export function groupCharges(
  counters: readonly { metric: string; value: number }[],
  by: readonly Dimension[],
): ChargeGroup[] {
  const groups = new Map<string, ChargeGroup>();
  for (const { metric, value } of counters) {
    const [name, ...parts] = metric.split('|');
    if (name !== CHARGED && name !== CHARGED_MICROS) continue;
    const places = [...parts.slice(0, DIMENSIONS.length - 1), parts.slice(DIMENSIONS.length - 1).join('|')];
    const values = Object.fromEntries(
      by.map((dimension) => [dimension, places[DIMENSIONS.indexOf(dimension)] || null]),
    );
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, messages: 0, micros: 0 };
    groups.set(key, group);
    if (name === CHARGED) group.messages += value;
    else group.micros += value;
  }
  return [...groups.values()].filter(({ messages, micros }) => messages !== 0 || micros !== 0);
}

export function isDimension(name: string): name is Dimension {
  return (DIMENSIONS as readonly string[]).includes(name);
}
