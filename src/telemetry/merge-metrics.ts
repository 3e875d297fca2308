import { AggregatorRegistry } from 'prom-client';
import type { MetricSet } from './metrics.ts';

/**
 * Merges the metrics of several processes into one set: counters and histograms are summed, and each gauge says if it is summed or if the
 * highest value counts. A value that a process does not know (NaN) is left to the others. The time of the start is the first one.
 */
export async function mergeMetrics(sets: readonly MetricSet[]): Promise<MetricSet> {
  return await aggregate(sets).getMetricsAsJSON();
}

/** Returns the merged metrics in Prometheus' text format. */
export async function renderMerged(sets: readonly MetricSet[]): Promise<string> {
  return await aggregate(sets).metrics();
}

/**
 * Returns the part of a set that outlives its process. Without it, a sum of counters would fall when a worker ends, and Prometheus would
 * count the whole remaining sum as new.
 */
export function lastingOf(set: MetricSet): MetricSet {
  return set.filter(({ type }) => String(type) !== 'gauge');
}

function aggregate(sets: readonly MetricSet[]) {
  const known = new Set<string>();
  for (const { name, values } of sets.flat()) {
    for (const { value, labels } of values) if (!Number.isNaN(value)) known.add(seriesOf(name, labels));
  }
  const readable = sets.map((set) =>
    set.map((metric) => ({
      ...metric,
      // The library leaves the time of the start out of merged metrics.
      aggregator: metric.aggregator === 'omit' ? ('min' as const) : metric.aggregator,
      values: metric.values.filter(
        ({ value, labels }) => !Number.isNaN(value) || !known.has(seriesOf(metric.name, labels)),
      ),
    })),
  );
  return AggregatorRegistry.aggregate(readable);
}

function seriesOf(name: string, labels: object): string {
  return name + JSON.stringify(labels);
}
