import type { Logger } from 'pino';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Changes, publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { Metrics, Tally } from '../../telemetry/index.ts';

/** The node's own queues, as seen by the code that counts inbound messages. */
interface InboundCounter {
  /** Counts messages against the number's rate. Returns false if this node does not work on the number. */
  countInbound(numberId: number, count: number): boolean;
  /** Returns true if this node owns the number's queue; the queue may still be being read. */
  hasQueueOf(numberId: number): boolean;
}

export interface InboundBroadcastDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, 'follow'>;
  metrics: Metrics;
  dispatcher: InboundCounter;
  /** True if this is the only process on its database. */
  alone: boolean;
}

const BROADCAST_MS = 200;
/** Numbers in one broadcast; further numbers follow in the next one. */
const NUMBERS_MAX = 1_000;

/**
 * Counts inbound messages against the rates of their numbers, as the platform does. If this node works on the number, it counts them at
 * once; otherwise it broadcasts the counts to the other nodes. A lost count is not repeated, because no number owes more than one second's
 * worth. Dispose it with `stop()`.
 */
export class InboundBroadcast {
  readonly #deps: InboundBroadcastDeps;
  readonly #chores: Chores;
  readonly #counted: Readonly<Record<'here' | 'elsewhere', Tally>>;
  /** Counts for numbers of other nodes that are not broadcast yet. */
  readonly #waiting = new Map<number, number>();

  constructor(deps: InboundBroadcastDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
    this.#counted = deps.metrics.counters(
      'dispatch_inbound_total',
      "Inbound messages counted against a number's rate, by the node they came in at.",
      'received',
      ['here', 'elsewhere'],
    );
    deps.changes.follow(
      'inbound',
      (key) => {
        for (const [numberId, count] of readCounts(key)) this.#count(numberId, count, 'elsewhere');
      },
      () => {},
    );
  }

  /** Starts the broadcasts, unless this node is alone. */
  start(): void {
    if (!this.#deps.alone) this.#chores.every(BROADCAST_MS, () => this.#send());
  }

  /** Counts messages that this node received and has committed. */
  received(numberId: number, count: number): void {
    if (this.#count(numberId, count, 'here')) return;
    const { alone, dispatcher } = this.#deps;
    if (!alone && !dispatcher.hasQueueOf(numberId)) {
      this.#waiting.set(numberId, (this.#waiting.get(numberId) ?? 0) + count);
    }
  }

  /** Stops the broadcasts and resolves when none is in progress. Counts not yet broadcast are dropped. */
  stop(): Promise<void> {
    return this.#chores.stop();
  }

  #count(numberId: number, count: number, received: 'here' | 'elsewhere'): boolean {
    const isCounted = this.#deps.dispatcher.countInbound(numberId, count);
    if (isCounted) this.#counted[received].inc(count);
    return isCounted;
  }

  async #send(): Promise<void> {
    const counts = this.#waiting.entries().take(NUMBERS_MAX).toArray();
    if (counts.length === 0) return;
    for (const [numberId] of counts) this.#waiting.delete(numberId);
    await publishChange(this.#deps.db, 'inbound', renderCounts(counts));
  }
}

function renderCounts(counts: readonly [numberId: number, count: number][]): string {
  return counts.map((entry) => entry.join(':')).join(',');
}

/** Parses the result of `renderCounts`. */
function readCounts(key: string): [numberId: number, count: number][] {
  return key.split(',').map((entry) => {
    const [numberId, count] = entry.split(':').map(Number);
    return [numberId ?? 0, count ?? 0];
  });
}
