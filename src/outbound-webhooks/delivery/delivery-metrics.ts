import { type Distribution, DURATION_BUCKETS, type Metrics, type Tally } from '../../telemetry/index.ts';
import type { Verdict } from '../attempt/attempt-verdict.ts';

const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 21_600, 86_400];
const VERDICTS: readonly Verdict['kind'][] = ['delivered', 'retry', 'refused', 'gone', 'exhausted', 'void'];

/** Metrics of webhook delivery. */
export interface DeliveryMetrics {
  attempts: Readonly<Record<Verdict['kind'], Tally>>;
  attemptSeconds: Distribution;
  /** Seconds from the event to its delivery. */
  lagSeconds: Distribution;
}

export function createDeliveryMetrics(
  metrics: Metrics,
  totals: () => { endpoints: number; inFlight: number },
): DeliveryMetrics {
  metrics.gauge('delivery_endpoints', 'Endpoints whose queues this node works on.', () => totals().endpoints);
  metrics.gauge('delivery_in_flight', 'Attempts under way.', () => totals().inFlight);
  return {
    attempts: metrics.counters('delivery_attempts_total', 'Attempts by what they came to.', 'result', VERDICTS),
    attemptSeconds: metrics.histogram('delivery_attempt_seconds', 'Time an attempt took.', DURATION_BUCKETS),
    lagSeconds: metrics.histogram('delivery_lag_seconds', 'Time from an event to its delivery.', LAG_BUCKETS),
  };
}
