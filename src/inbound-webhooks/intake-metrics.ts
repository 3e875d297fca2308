import { DURATION_BUCKETS, type Metrics } from '../telemetry/index.ts';
import { ERROR_CODE_LABELS, errorCodeLabelOf } from '../upstream/index.ts';
import type { UpstreamPayload } from './payload/upstream-payload.ts';

/** Metrics of the intake of webhooks. */
export interface IntakeMetrics {
  /** Counts payloads that were applied at `nowMs` (epoch ms). */
  applied(received: readonly { parsed: UpstreamPayload | undefined }[], nowMs: number): void;
  /** Counts payloads that were kept to be applied later. */
  deferred(count: number): void;
  /** Counts a payload that was refused because none of the app's secrets signed it. */
  refused(): void;
  /** Observes a batch of `count` payloads and the time until it was durable. */
  took(seconds: number, count: number): void;
}

const LAG_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 3_600, 86_400];

export function createIntakeMetrics(metrics: Metrics): IntakeMetrics {
  const payloads = metrics.counters(
    'webhook_payloads_total',
    'Payloads of the upstream by what came of them.',
    'result',
    ['applied', 'unreadable', 'deferred', 'refused'],
  );
  const items = metrics.counters('webhook_items_total', 'What applied payloads carried.', 'kind', [
    'status',
    'inbound',
    'change',
  ]);
  const failures = metrics.counters(
    'webhook_failures_total',
    "Statuses `failed` in applied payloads, by the upstream's error code.",
    'code',
    ERROR_CODE_LABELS,
  );
  const seconds = metrics.histogram('webhook_intake_seconds', 'Time until a set was durable.', DURATION_BUCKETS);
  const sizes = metrics.histogram('webhook_batch_payloads', 'Payloads per set.', [1, 2, 4, 8, 16, 32, 64, 128, 200]);
  const lag = metrics.histogram(
    'webhook_lag_seconds',
    'Time from what a status or inbound message tells of to its being applied here; the upstream counts whole seconds.',
    LAG_BUCKETS,
  );
  return {
    applied(received, nowMs) {
      for (const { parsed } of received) {
        if (parsed === undefined) {
          payloads.unreadable.inc();
          continue;
        }
        payloads.applied.inc();
        items.status.inc(parsed.statuses.length);
        items.inbound.inc(parsed.inbound.length);
        items.change.inc(parsed.changes.length);
        for (const { atMs, errorCode } of parsed.statuses) {
          lag.observe(Math.max(0, nowMs - atMs) / 1000);
          if (errorCode !== undefined) failures[errorCodeLabelOf(errorCode)]?.inc();
        }
        for (const { atMs } of parsed.inbound) lag.observe(Math.max(0, nowMs - atMs) / 1000);
      }
    },
    deferred: (count) => payloads.deferred.inc(count),
    refused: () => payloads.refused.inc(),
    took(duration, count) {
      seconds.observe(duration);
      sizes.observe(count);
    },
  };
}
