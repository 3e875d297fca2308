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
  /**
   * A value read at every scrape; undefined shows as NaN.
   * @param merged the value of several workers: their sum unless all of them read the same thing, or the worst one counts
   */
  gauge(name: string, help: string, read: () => number | undefined, merged?: 'sum' | 'max'): void;
  /**
   * One series per value of `label`, read at every scrape. A counter's readings must only rise. A label value that is no longer read
   * loses its series.
   */
  series(
    kind: 'counter' | 'gauge',
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [labelValue: string, value: number]>,
  ): void;
  /** Registers work to do before the gauges are read. It must not fail. */
  beforeReading(work: () => Promise<void>): void;
  /** Adds Node's metrics of the whole process: CPU, memory, file descriptors, garbage collection. At most once per process. */
  includeProcess(): void;
  /** Reads the metrics of this process alone, for `mergeMetrics`. */
  read(): Promise<MetricSet>;
  /** Everything as text in a format, Prometheus' own by default, with the media type it is in. */
  render(format?: MetricsFormat): Promise<{ contentType: string; text: string }>;
}

/** The metrics of one process at one moment; survives a structured clone. */
export type MetricSet = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Returns the text of this process's metrics merged with those of its fellow workers. */
export type GatherMetrics = (own: MetricSet) => Promise<string>;

/** The text formats that metrics can be read in. */
type MetricsFormat = 'prometheus' | 'openmetrics';

/** Gauges of the library whose names are those of counters, and the same numbers as their labelled twins without `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Buckets for durations in seconds, from a cache hit to a caller's timeout. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

const PREFIX = 'fairway_';
/** Time between two samples of Node's own measure of the event loop, ms. Each sample wakes the process. */
const EVENT_LOOP_SAMPLE_MS = 250;

/** @param gather merges the metrics of all workers in `render`; absent in a process without fellow workers */
export function createMetrics(gather?: GatherMetrics): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const preparations: (() => Promise<void>)[] = [];
  const prepare = () => Promise.all(preparations.map((work) => work()));
  const read = async () => {
    await prepare();
    return await registry.getMetricsAsJSON();
  };

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
    gauge(name, help, read, merged = 'sum') {
      new Gauge({
        name: PREFIX + name,
        help,
        aggregator: merged,
        registers,
        collect() {
          this.set(read() ?? Number.NaN);
        },
      });
    },
    series(kind, name, help, label, read) {
      const Kind = kind === 'counter' ? Counter : Gauge;
      new Kind({
        name: PREFIX + name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [labelValue, value] of read()) this.inc({ [label]: labelValue }, value);
        },
      });
    },
    beforeReading: (work) => void preparations.push(work),
    includeProcess() {
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
      for (const name of MISNAMED) registry.removeSingleMetric(name);
    },
    read,
    async render(format = 'prometheus') {
      const text = gather === undefined ? await prepare().then(() => registry.metrics()) : await gather(await read());
      return format === 'prometheus'
        ? { contentType: registry.contentType, text }
        : { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: toOpenMetrics(text) };
    },
  };
}

/**
 * The same metrics in OpenMetrics: a counter's family is named without `_total`, no line is empty, and the end is marked. The library's own
 * switch renames the counters for good, so that every later reading in Prometheus' format lacks their `_total`.
 */
function toOpenMetrics(text: string): string {
  const counters = new Set([...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, family]) => family));
  const lines = text.split('\n').filter((line) => line !== '');
  const renamed = lines.map((line) =>
    line.replace(/^(# (?:HELP|TYPE) )(\S+)_total /, (whole, kind: string, family: string) =>
      counters.has(family) ? `${kind}${family} ` : whole,
    ),
  );
  return `${renamed.join('\n')}\n# EOF\n`;
}
