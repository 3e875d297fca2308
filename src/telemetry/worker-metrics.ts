import type { Metrics, Tally } from './metrics.ts';

const EVENTS = ['replaced', 'metrics_late'] as const;

/** Counts workers that ended and were replaced, and those that left a reading of metrics unanswered. */
export function countWorkerEvents(metrics: Metrics): Readonly<Record<(typeof EVENTS)[number], Tally>> {
  return metrics.counters('worker_events_total', 'Workers replaced, and late with their metrics.', 'event', EVENTS);
}

/** Publishes the number of workers: each one counts itself. */
export function publishWorkers(metrics: Metrics): void {
  metrics.gauge('workers', 'Workers that share this address.', () => 1);
  countWorkerEvents(metrics);
}
