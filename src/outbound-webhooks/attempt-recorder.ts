import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { publishChange } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import { MicroBatcher } from '../database/micro-batcher.ts';
import { writeUntilDone } from '../database/write-until-done.ts';
import { type EndpointHealth, updateHealth } from './endpoint-queries.ts';
import { renderNews, WHOLE_QUEUE } from './queue-deliveries.ts';
import { queueKey } from './queue-queries.ts';
import { type Postponement, recordPostponements, recordSettlements, type Settlement } from './settlement-queries.ts';

export interface AttemptRecorderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

type Item =
  | { settlement: Settlement }
  | { postponement: Postponement }
  | { health: EndpointHealth }
  | { left: { endpointNumber: number } };

const ITEMS_MAX = 512;

/**
 * Writes down what attempts came to, in micro-batches, until it is written: a failing database is tried again for as long as
 * the process lives. Every statement can be repeated safely.
 */
export class AttemptRecorder {
  readonly #deps: AttemptRecorderDeps;
  /** Whether the delivery is no more, if the item is about one. */
  readonly #batches: MicroBatcher<Item, boolean>;

  constructor(deps: AttemptRecorderDeps) {
    this.#deps = deps;
    this.#batches = new MicroBatcher({
      flush: (items) => this.#write(items),
      itemsMax: ITEMS_MAX,
      lanes: 1,
    });
  }

  /** Results that wait to be written. */
  get pending(): number {
    return this.#batches.pending;
  }

  /** Resolves once the end of a delivery is durable. */
  async settle(settlement: Settlement): Promise<void> {
    await this.#batches.submit({ settlement });
  }

  /** Resolves once a failed attempt and the time of the next one are durable, or with true: the delivery was settled elsewhere. */
  postpone(postponement: Postponement): Promise<boolean> {
    return this.#batches.submit({ postponement });
  }

  /** Resolves once it is durable how an endpoint fares. */
  async noteHealth(health: EndpointHealth): Promise<void> {
    await this.#batches.submit({ health });
  }

  /** Resolves once whoever works the endpoint's queue now will look at the whole of it. */
  async leave(endpointNumber: number): Promise<void> {
    await this.#batches.submit({ left: { endpointNumber } });
  }

  /** Resolves when everything submitted is written. */
  drain(): Promise<void> {
    return this.#batches.idle();
  }

  async #write(items: Item[]): Promise<boolean[]> {
    const { db } = this.#deps;
    const settlements = items.flatMap((item) => ('settlement' in item ? item.settlement : []));
    const postponements = items.flatMap((item) => ('postponement' in item ? item.postponement : []));
    const left = items.flatMap((item) => ('left' in item ? item.left : []));
    // Of an endpoint's states the last one counts.
    const health = new Map(items.flatMap((item) => ('health' in item ? [[item.health.id, item.health] as const] : [])));
    // One statement cannot write a row twice.
    const ends = [...new Map(settlements.map((item) => [queueKey(item.row.endpointNumber, item.row), item])).values()];
    // First, so that whoever sees the attempt sees what it says of the endpoint, too.
    if (health.size > 0) await this.#untilDone(() => updateHealth(db, [...health.values()]));
    if (ends.length > 0) await this.#untilDone(() => recordSettlements(db, ends));
    const gone = new Set(
      postponements.length > 0 ? await this.#untilDone(() => recordPostponements(db, postponements)) : [],
    );
    if (left.length > 0) {
      await this.#untilDone(() => publishChange(db, 'webhook_queue', renderNews(WHOLE_QUEUE, left)));
    }
    return items.map((item) => 'settlement' in item || ('postponement' in item && gone.has(item.postponement)));
  }

  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return writeUntilDone(this.#deps, 'webhook attempts', write);
  }
}
