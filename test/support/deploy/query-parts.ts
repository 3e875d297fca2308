/** A metric in a query, with its matchers. */
export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** Names that a scrape adds to every series. */
const OWN_PREFIX = /\b(?:fairway|process|nodejs)_\w+/g;

/** Returns the metrics that a PromQL expression names. Metrics of other programs count only with braces behind them. */
export function selectorsOf(expression: string): Selector[] {
  const braced = Array.from(expression.matchAll(/([A-Za-z_]\w*)\s*\{([^}]*)\}/g), ([, metric = '', inner = '']) => ({
    metric,
    matchers: Array.from(
      inner.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g),
      ([, label = '', operator = '', value = '']) => ({
        label,
        operator,
        value,
      }),
    ),
  }));
  const known = new Set(braced.map(({ metric }) => metric));
  const bare = new Set(
    [...expression.matchAll(OWN_PREFIX)].map(([metric]) => metric).filter((metric) => !known.has(metric)),
  );
  return [...braced, ...Array.from(bare, (metric) => ({ metric, matchers: [] }))];
}

/** Returns the labels by which a PromQL expression groups. */
export function groupingOf(expression: string): string[] {
  const groups = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].map(([, labels = '']) => labels);
  return [...new Set(groups.flatMap((labels) => labels.split(',').map((label) => label.trim())))];
}

/** Series in a text of `/metrics`: the values of each label, by metric. */
export type Exposed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Parses a text of `/metrics`. */
export function parseMetrics(text: string): Exposed {
  const exposed = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    const [, metric, inner = ''] = /^([A-Za-z_]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (metric === undefined) continue;
    const labels = exposed.get(metric) ?? new Map<string, Set<string>>();
    exposed.set(metric, labels);
    for (const [, label = '', value = ''] of inner.matchAll(/(\w+)="([^"]*)"/g))
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
  }
  return exposed;
}

/** Returns the metric families in a text of `/metrics`. */
export function familiesOf(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, family = '']) => family);
}

/** Labels that Prometheus adds when it scrapes. */
const TARGET_LABELS = new Set(['job', 'instance']);

/** Lists everything that an expression names and `/metrics` does not have: metrics, labels, and values of labels. */
export function missingOf(expression: string, exposed: Exposed): string[] {
  const missing: string[] = [];
  for (const { metric, matchers } of selectorsOf(expression)) {
    if (metric === 'up') continue;
    const labels = exposed.get(metric);
    if (labels === undefined) {
      missing.push(metric);
      continue;
    }
    const grouped = groupingOf(expression).map((label) => ({ label, operator: '', value: '' }));
    for (const { label, operator, value } of [...matchers, ...grouped]) {
      if (TARGET_LABELS.has(label)) continue;
      const values = labels.get(label);
      if (values === undefined) missing.push(`${metric}{${label}}`);
      // A healthy gateway has answered no 5xx.
      else if (operator === '=' && !value.startsWith('$') && label !== 'status' && !values.has(value))
        missing.push(`${metric}{${label}="${value}"}`);
    }
  }
  return missing;
}
