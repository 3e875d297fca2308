import type { ByteBudget } from '../core/limits/byte-budget.ts';
import type { Metrics } from '../telemetry/index.ts';

/** Reasons for shedding requests before they are read. */
const SHED_REASONS = ['requests', 'pending_accepts', 'bodies', 'database_pool'] as const;
type ShedReason = (typeof SHED_REASONS)[number];

/** Load of a process. */
export interface Load {
  /** True if requests already wait as long as a shed client takes to retry. */
  isLate: boolean;
  /** Messages accepted but not yet durable. */
  pendingAccepts: number;
  /** Share of the request bodies' memory budget in use, 0 to 1. */
  bodiesShare: number;
  /** Statements waiting for a database connection. */
  poolWaiting: number;
}

/** Number of messages stored in about half a second. */
const PENDING_ACCEPTS_MAX = 4_000;
/** Limit of `bodiesShare`. Below it, a body larger than the remaining budget is refused when it arrives. */
const BODIES_SHARE_MAX = 0.9;
const POOL_WAITING_MAX = 256;

/** The reason to shed requests under this load; undefined if there is none. */
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

/** Creates the check that decides if a request is shed, and counts it if so. Cheap, because it runs for each concurrent request. */
export function createOverloadGate(deps: OverloadDeps): (isLate: boolean) => boolean {
  const { eventLoopDelay, writer, bodies, db, metrics } = deps;
  const shed = metrics.counters('http_shed_total', 'Requests turned away unread, by reason.', 'reason', SHED_REASONS);
  metrics.gauge('event_loop_delay_p99_seconds', 'How late work starts here.', () => eventLoopDelay.p99Ms / 1000, 'max');
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
