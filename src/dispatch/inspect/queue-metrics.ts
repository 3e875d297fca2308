import type { Logger } from 'pino';
import { waitAtMost } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { Metrics } from '../../telemetry/index.ts';
import { type QueueTotals, readQueueTotals } from '../queue/queue-count-queries.ts';

const COUNT_EVERY_MS = 10_000;
/** A count may take at most this share of the time: the longer the queue, the less often it is counted. */
const COUNTING_SHARE = 0.02;
/**
 * A count may also be slow because the database stalled, which is unrelated to the queue's length. The pause is therefore limited to this.
 */
const COUNT_AT_LEAST_EVERY_MS = 60_000;
/** Other metrics matter most while the database is slow, so a reading waits no longer than this. */
const PATIENCE_MS = 1_000;

/** Returns the totals of the queue; undefined if they are not known. They are counted at most every ten seconds. */
export type ReadTotals = () => Promise<QueueTotals | undefined>;

/** Shows the queue of all nodes as metrics, and returns a reader of the same totals. */
export function showQueue(deps: { db: Queryable; clock: Clock; log: Logger; metrics: Metrics }): ReadTotals {
  const { db, clock, log, metrics } = deps;
  let totals: QueueTotals | undefined;
  let counting: Promise<void> | undefined;
  let countAgainAtMs = Number.NEGATIVE_INFINITY;

  async function count(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    try {
      totals = await readQueueTotals(db);
    } catch (error) {
      totals = undefined;
      log.warn({ err: error }, 'queue not counted; its metrics are empty until the next count');
    }
    const nowMs = clock.monotonicMs();
    const pauseMs = Math.min((nowMs - startedAtMs) / COUNTING_SHARE, COUNT_AT_LEAST_EVERY_MS);
    countAgainAtMs = nowMs + Math.max(COUNT_EVERY_MS, pauseMs);
    counting = undefined;
  }

  const refresh = async () => {
    if (clock.monotonicMs() >= countAgainAtMs) counting ??= count();
    await waitAtMost(clock, PATIENCE_MS, counting);
  };
  metrics.beforeReading(refresh);
  metrics.gauge('queue_messages', 'Messages queued, on all nodes together.', () => totals?.queued, 'max');
  metrics.gauge(
    'queue_held',
    'Messages held because their outcome is unknown, on all nodes.',
    () => totals?.held,
    'max',
  );
  metrics.gauge(
    'queue_oldest_wait_seconds',
    'Time the oldest queued message has waited.',
    () => totals?.oldestWaitSeconds,
    'max',
  );
  return async () => {
    await refresh();
    return totals;
  };
}
