import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A number that only rises. */
export interface Tally {
  inc(count?: number): void;
}

/** Distribution of values over buckets. */
export interface Distribution {
  observe(value: number): void;
}

/**
 * Metrics of this process, with names and units of Prometheus. Modules create their instruments once and keep them. Labels are bound to
 * their values at that time: label sets are then as bounded as the code that names them, and counting costs a fraction of a
 * microsecond. Names get the prefix `fairway_`.
 */
export interface Metrics {
  /** One counter per case of `label`. */
  counters<Case extends string>(
    name: string,
    help: string,
    label: string,
    cases: readonly Case[],
  ): Readonly<Record<Case, Tally>>;
  histogram(name: string, help: string, buckets: readonly number[]): Distribution;
  /** A histogram per set of label values; call it once per set and keep the result. */
  histograms<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets: readonly number[],
  ): (values: Record<Label, string>) => Distribution;
  /** A value read at every scrape; undefined shows as NaN. */
  gauge(name: string, help: string, read: () => number | undefined): void;
  /** Registers work to do before the gauges are read. It must not fail. */
  beforeReading(work: () => Promise<void>): void;
  /** Adds Node's metrics of the whole process: CPU, memory, file descriptors, garbage collection. At most once per process. */
  includeProcess(): void;
  /** All metrics as text, with its media type. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Buckets for durations in seconds, from a cache hit to a caller's timeout. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

const PREFIX = 'fairway_';

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const preparations: (() => Promise<void>)[] = [];

  return {
    counters(name, help, label, cases) {
      const counter = new Counter({ name: PREFIX + name, help, labelNames: [label], registers });
      const bound = cases.map((value) => {
        const child = counter.labels(value);
        // A case that has not occurred yet shows as 0, so that its first occurrence is visible as a rise.
        child.inc(0);
        return [value, child];
      });
      return Object.fromEntries(bound) as Record<(typeof cases)[number], Tally>;
    },
    histogram: (name, help, buckets) => new Histogram({ name: PREFIX + name, help, buckets: [...buckets], registers }),
    histograms(name, help, labels, buckets) {
      const options = { name: PREFIX + name, help, labelNames: [...labels], buckets: [...buckets], registers };
      const histogram = new Histogram(options);
      return (values) => histogram.labels(values);
    },
    gauge(name, help, read) {
      new Gauge({
        name: PREFIX + name,
        help,
        registers,
        collect() {
          this.set(read() ?? Number.NaN);
        },
      });
    },
    beforeReading: (work) => void preparations.push(work),
    includeProcess: () => collectDefaultMetrics({ register: registry }),
    async render() {
      await Promise.all(preparations.map((prepare) => prepare()));
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
