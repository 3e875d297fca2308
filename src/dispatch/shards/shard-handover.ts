import { waitAtMost } from '../../core/run/waiting.ts';
import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { HeldShard } from '../../leases/index.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { ShardQueues } from './shard-queues.ts';

export interface ShardHandoverDeps {
  clock: Clock;
  inFlight: Pick<InFlight, 'emptied' | 'isBusy'>;
  metrics: Pick<DispatchMetrics, 'leaseChanges'>;
  queues: Pick<ShardQueues, 'close' | 'takeOver'>;
  recorder: Pick<ResultRecorder, 'drain'>;
  wakeup: Pick<Wakeup, 'wake'>;
}

/** Time for messages in flight to end when their shard moves to another node. */
const HANDOVER_MS = 3_000;

/** Begins and ends the work on shards, as the leases come and go. */
export class ShardHandover {
  readonly #deps: ShardHandoverDeps;
  #isStopping = false;
  #nodeCount = 1;

  constructor(deps: ShardHandoverDeps) {
    this.#deps = deps;
  }

  /** Number of live nodes at the last renewal, including this one. */
  get nodeCount(): number {
    return this.#nodeCount;
  }

  acquired(shards: HeldShard[]): Promise<void> {
    const { metrics, queues } = this.#deps;
    metrics.leaseChanges.acquired.inc(shards.length);
    return queues.takeOver(shards);
  }

  /**
   * Ends the work on shards that another node gets. Messages in flight get a short time: one request without an answer must not keep its
   * whole shard waiting. A stopping node uses its own limit for the whole stop instead, because no process would hear later answers.
   */
  async release(shards: number[]): Promise<void> {
    const { clock, inFlight, metrics, queues, recorder } = this.#deps;
    metrics.leaseChanges.released.inc(shards.length);
    queues.close(shards);
    const emptied = inFlight.emptied(new Set(shards));
    if (this.#isStopping) await emptied;
    else await waitAtMost(clock, HANDOVER_MS, emptied);
    // The next owner treats every message still in the journal as an unknown outcome.
    await recorder.drain();
  }

  lost(shards: number[]): void {
    const { metrics, queues } = this.#deps;
    metrics.leaseChanges.lost.inc(shards.length);
    queues.close(shards);
  }

  isBusy(shard: number): boolean {
    return this.#deps.inFlight.isBusy(shard);
  }

  renewed(nodes: number): void {
    this.#nodeCount = nodes;
    this.#deps.wakeup.wake();
  }

  /** From now on, `release` waits until every message in flight has ended. */
  stop(): void {
    this.#isStopping = true;
  }
}
