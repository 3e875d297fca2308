import type { ByteBudget } from '../core/limits/byte-budget.ts';
import type { Metrics } from '../telemetry/index.ts';

/** Why requests are turned away before they are read. */
const SHED_REASONS = ['requests', 'pending_accepts', 'bodies', 'database_pool'] as const;
type ShedReason = (typeof SHED_REASONS)[number];

/** What a process has on its hands. */
export interface Load {
  /** Whether requests wait for as long as it takes one that is turned away to come again. */
  isLate: boolean;
  /** Messages accepted but not yet durable. */
  pendingAccepts: number;
  /** How much of the room for request bodies is taken, 0 to 1. */
  bodiesShare: number;
  /** Statements waiting for a database connection. */
  poolWaiting: number;
}

/** About what is made durable in half a second. */
const PENDING_ACCEPTS_MAX = 4_000;
/** Larger bodies than what is left are refused as they arrive. */
const BODIES_SHARE_MAX = 0.9;
const POOL_WAITING_MAX = 256;

/** Whether a process under this load should take in nothing more, and if so, why. */
export function findShedReason(load: Load): ShedReason | undefined {
  if (load.pendingAccepts >= PENDING_ACCEPTS_MAX) return 'pending_accepts';
  if (load.bodiesShare >= BODIES_SHARE_MAX) return 'bodies';
  if (load.isLate) return 'requests';
  if (load.poolWaiting >= POOL_WAITING_MAX) return 'database_pool';
  return undefined;
}

export interface OverloadDeps {
  eventLoopDelay: { readonly p99Ms: number };
  writer: { readonly pending: number };
  bodies: ByteBudget;
  db: { waiting(): number };
  metrics: Metrics;
}

/** Whether to turn away a request that comes while others are being served, which is counted then. Cheap: it is asked for each. */
export function createOverloadGate(deps: OverloadDeps): (isLate: boolean) => boolean {
  const { eventLoopDelay, writer, bodies, db, metrics } = deps;
  const shed = metrics.counters('http_shed_total', 'Requests turned away unread, by reason.', 'reason', SHED_REASONS);
  metrics.gauge('event_loop_delay_p99_seconds', 'How late work starts here.', () => eventLoopDelay.p99Ms / 1000);
  metrics.gauge('http_body_bytes', 'Memory taken by request bodies.', () => bodies.bytes);
  metrics.gauge('database_pool_waiting', 'Statements waiting for a connection.', () => db.waiting());
  return (isLate) => {
    const reason = findShedReason({
      isLate,
      pendingAccepts: writer.pending,
      bodiesShare: bodies.bytes / bodies.bytesMax,
      poolWaiting: db.waiting(),
    });
    if (reason === undefined) return false;
    shed[reason].inc();
    return true;
  };
}
