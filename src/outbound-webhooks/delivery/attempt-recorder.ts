import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import { publishChange } from '../../database/changes/change-feed.ts';
import { writeUntilDone } from '../../database/connection/write-until-done.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { type EndpointHealth, updateHealth } from '../endpoints/endpoint-queries.ts';
import { renderNews, WHOLE_QUEUE } from '../queue/queue-deliveries.ts';
import { queueKey } from '../queue/queue-queries.ts';
import {
  type Postponement,
  recordPostponements,
  recordSettlements,
  type Settlement,
} from '../queue/settlement-queries.ts';

export interface AttemptRecorderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

type Item =
  | { settlement: Settlement; isLeft: boolean }
  | { postponement: Postponement; isLeft: boolean }
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

  /** Resolves once the end of a delivery is durable, and with `isLeft`, in the same commit, word of it as `leave` gives it. */
  async settle(settlement: Settlement, isLeft: boolean): Promise<void> {
    await this.#batches.submit({ settlement, isLeft });
  }

  /**
   * Resolves once a failed attempt and the time of the next one are durable, and with `isLeft` word of it as by `settle`; with true
   * when the delivery was settled elsewhere.
   */
  postpone(postponement: Postponement, isLeft: boolean): Promise<boolean> {
    return this.#batches.submit({ postponement, isLeft });
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
    const left = items.flatMap(leftBy);
    // Of an endpoint's states the last one counts.
    const health = new Map(items.flatMap((item) => ('health' in item ? [[item.health.id, item.health] as const] : [])));
    // One statement cannot write a row twice.
    const ends = [...new Map(settlements.map((item) => [queueKey(item.row.endpointNumber, item.row), item])).values()];
    // First, so that whoever sees the attempt sees what it says of the endpoint, too.
    if (health.size > 0) await this.#untilDone(() => updateHealth(db, [...health.values()]));
    const writeAttempts = async (tx: Queryable) => {
      if (ends.length > 0) await recordSettlements(tx, ends);
      const ended = postponements.length > 0 ? await recordPostponements(tx, postponements) : [];
      if (left.length > 0) await publishChange(tx, 'webhook_queue', renderNews(WHOLE_QUEUE, left));
      return new Set(ended);
    };
    // Together: nobody gives word of what is written, should this process end in between.
    const gone = await this.#untilDone(() => (left.length > 0 ? db.transaction(writeAttempts) : writeAttempts(db)));
    return items.map((item) => 'settlement' in item || ('postponement' in item && gone.has(item.postponement)));
  }

  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return writeUntilDone(this.#deps, 'webhook attempts', write);
  }
}

/** The endpoint whose queue whoever works it now is to look at, if any. */
function leftBy(item: Item): { endpointNumber: number }[] {
  if ('left' in item) return [item.left];
  if ('health' in item || !item.isLeft) return [];
  return ['settlement' in item ? item.settlement.row : item.postponement.row];
}
