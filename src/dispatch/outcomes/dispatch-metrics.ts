import { type Distribution, DURATION_BUCKETS, type Metrics, type Tally } from '../../telemetry/index.ts';
import { ERROR_CODE_LABELS, errorCodeLabelOf, type SendOutcome } from '../../upstream/index.ts';
import type { Scheduler } from '../scheduler/index.ts';

const OUTCOMES: readonly SendOutcome['kind'][] = [
  'accepted',
  'rejected',
  'throttled',
  'blocked',
  'unavailable',
  'unsent',
  'unknown',
];
const WAIT_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200];

/** Current counts of the dispatcher, for gauges. */
export interface DispatchTotals extends ReturnType<Scheduler['totals']> {
  nodes: number;
  shards: number;
  unknownOutcomes: number;
  numbersPaused: number;
  numbersParked: number;
  /** Sum of the limits of all its numbers, in messages per second. */
  pacePerSecond: number;
}

/** The metrics of the dispatcher. */
export interface DispatchMetrics {
  /** Posts to the platform by outcome. A post without a recorded result is counted as unknown at the takeover of its shard. */
  outcomes: Readonly<Record<SendOutcome['kind'], Tally>>;
  /** Counts the error code of an answer to a post; null if the answer has none. */
  countError(code: string | null): void;
  /** Seconds from the call to its end. */
  upstreamSeconds: Distribution;
  /** Seconds from acceptance until the platform accepts the message. */
  waitSeconds: Distribution;
  leaseChanges: Readonly<Record<'acquired' | 'released' | 'lost', Tally>>;
}

const GAUGES: readonly [name: string, total: keyof DispatchTotals, help: string][] = [
  ['dispatch_in_flight', 'inFlight', 'Messages on their way to the upstream.'],
  ['dispatch_messages', 'messages', 'Messages of the queue that this node holds in memory.'],
  ['dispatch_ready_recipients', 'readyRecipients', 'Recipients with a message that may go.'],
  [
    'dispatch_waiting_recipients',
    'waitingRecipients',
    'Recipients whose message waits for the pair limit or a due time.',
  ],
  ['dispatch_held', 'held', 'Messages held because their outcome is unknown.'],
  ['dispatch_unknown_outcomes', 'unknownOutcomes', 'Unknown outcomes this node is about to settle.'],
  ['dispatch_numbers', 'numbers', 'Numbers whose queues this node works on.'],
  ['dispatch_numbers_paused', 'numbersPaused', 'Of these, those an operator has paused.'],
  [
    'dispatch_numbers_parked',
    'numbersParked',
    'Of these, those that send nothing until someone sees to their account.',
  ],
  ['dispatch_pace_per_second', 'pacePerSecond', 'Messages a second that the limits of these numbers allow together.'],
  ['dispatch_shards', 'shards', 'Shards this node has leased.'],
];

/** Publishes the counts as gauges; `totals` is called at each reading. */
export function publishTotals(metrics: Metrics, totals: () => DispatchTotals): void {
  for (const [name, total, help] of GAUGES) metrics.gauge(name, help, () => totals()[total]);
  metrics.gauge('nodes', 'Nodes alive, whatever their roles, as this one sees it.', () => totals().nodes, 'max');
}

export function createDispatchMetrics(metrics: Metrics): DispatchMetrics {
  const errors = metrics.counters(
    'dispatch_errors_total',
    'Posts that the upstream answered with an error, by its code.',
    'code',
    ERROR_CODE_LABELS,
  );
  return {
    outcomes: metrics.counters('dispatch_outcomes_total', 'Posts to the upstream by outcome.', 'outcome', OUTCOMES),
    countError: (code) => errors[errorCodeLabelOf(code)]?.inc(),
    upstreamSeconds: metrics.histogram('upstream_send_seconds', 'Time a post took.', DURATION_BUCKETS),
    waitSeconds: metrics.histogram(
      'dispatch_wait_seconds',
      'Time from acceptance to the upstream taking the message.',
      WAIT_BUCKETS,
    ),
    leaseChanges: metrics.counters('lease_changes_total', 'Shards that came and went.', 'change', [
      'acquired',
      'released',
      'lost',
    ]),
  };
}
