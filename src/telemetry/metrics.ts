import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One number that only rises. */
export interface Tally {
  inc(count?: number): void;
}

/** How often values fell where. */
export interface Distribution {
  observe(value: number): void;
}

/**
 * What an operator can see of this process, in the names and units of Prometheus. Modules make their instruments once and keep
 * them; what is labelled is bound to its label values then, so that a label set is as bounded as the code that names it, and
 * counting costs a fraction of a microsecond. Names get the prefix `fairway_`.
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
  /** A histogram per set of label values; call it once per set and keep what it gives. */
  histograms<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets: readonly number[],
  ): (values: Record<Label, string>) => Distribution;
  /** A value read whenever somebody looks; undefined shows as not a number. */
  gauge(name: string, help: string, read: () => number | undefined): void;
  /** Something to be done before the gauges are read. It must not fail. */
  beforeReading(work: () => Promise<void>): void;
  /** Adds what Node tells of the whole process: CPU, memory, file descriptors, garbage collection. At most once a process. */
  includeProcess(): void;
  /** Everything as text, with the media type it is in. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Durations in seconds, from what a cache answers to what a caller gives up on. */
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
        // A case that has not happened yet shows as 0, so that its first time is a rise.
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
