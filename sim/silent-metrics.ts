import type { Metrics } from '../src/telemetry/index.ts';

const instrument = { inc() {}, observe() {} };

/** Metrics that record nothing. */
export const silentMetrics: Metrics = {
  counters: <Case extends string>(_name: string, _help: string, _label: string, cases: readonly Case[]) =>
    Object.fromEntries(cases.map((value) => [value, instrument])) as Record<Case, typeof instrument>,
  histogram: () => instrument,
  histograms: () => () => instrument,
  gauge() {},
  series() {},
  beforeReading() {},
  includeProcess() {},
  read: () => Promise.resolve([]),
  render: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
};
