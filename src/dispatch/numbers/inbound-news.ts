import type { Logger } from 'pino';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Changes, publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { Metrics, Tally } from '../../telemetry/index.ts';
import type { Dispatcher } from '../dispatcher.ts';

export interface InboundNewsDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  changes: Changes;
  metrics: Metrics;
  dispatcher: Pick<Dispatcher, 'countInbound' | 'hasQueueOf'>;
  /** This process is alone on its database. */
  alone: boolean;
}

const TELL_MS = 200;
/** Numbers that are told of at once; further ones are the next time. */
const NUMBERS_MAX = 1_000;

/**
 * Counts messages that come in against the rates of their numbers, as the platform does: at once where this node works on the number, and
 * otherwise by telling the other nodes of it. What goes untold is forgotten, since no number owes more than a second's worth. Dispose it
 * with `stop()`.
 */
export class InboundNews {
  readonly #deps: InboundNewsDeps;
  readonly #chores: Chores;
  readonly #counted: Readonly<Record<'here' | 'elsewhere', Tally>>;
  /** How many came in for numbers of others, not told yet. */
  readonly #untold = new Map<number, number>();

  constructor(deps: InboundNewsDeps) {
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

  /** Begins to tell, unless there is nobody to be told. */
  start(): void {
    if (!this.#deps.alone) this.#chores.every(TELL_MS, () => this.#tell());
  }

  /** Messages have come in here, and that is committed. */
  received(numberId: number, count: number): void {
    if (this.#count(numberId, count, 'here')) return;
    const { alone, dispatcher } = this.#deps;
    if (!alone && !dispatcher.hasQueueOf(numberId)) {
      this.#untold.set(numberId, (this.#untold.get(numberId) ?? 0) + count);
    }
  }

  /** Resolves when nothing is being told any more; what has not been told is forgotten. */
  stop(): Promise<void> {
    return this.#chores.stop();
  }

  #count(numberId: number, count: number, received: 'here' | 'elsewhere'): boolean {
    const isCounted = this.#deps.dispatcher.countInbound(numberId, count);
    if (isCounted) this.#counted[received].inc(count);
    return isCounted;
  }

  async #tell(): Promise<void> {
    const counts = this.#untold.entries().take(NUMBERS_MAX).toArray();
    if (counts.length === 0) return;
    for (const [numberId] of counts) this.#untold.delete(numberId);
    await publishChange(this.#deps.db, 'inbound', renderCounts(counts));
  }
}

function renderCounts(counts: readonly [numberId: number, count: number][]): string {
  return counts.map((entry) => entry.join(':')).join(',');
}

/** Reads what `renderCounts` made. */
function readCounts(key: string): [numberId: number, count: number][] {
  return key.split(',').map((entry) => {
    const [numberId, count] = entry.split(':').map(Number);
    return [numberId ?? 0, count ?? 0];
  });
}
