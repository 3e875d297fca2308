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
 * Records the results of attempts in micro-batches. If the database fails, it retries for as long as the process lives. Every statement
 * is safe to repeat.
 */
export class AttemptRecorder {
  readonly #deps: AttemptRecorderDeps;
  /** Batches of items. An item about a delivery resolves to true if the delivery has left the queue. */
  readonly #batches: MicroBatcher<Item, boolean>;

  constructor(deps: AttemptRecorderDeps) {
    this.#deps = deps;
    this.#batches = new MicroBatcher({
      flush: (items) => this.#write(items),
      itemsMax: ITEMS_MAX,
      lanes: 1,
    });
  }

  /** Number of results that wait to be written. */
  get pending(): number {
    return this.#batches.pending;
  }

  /** Resolves once the end of a delivery is durable. With `isLeft`, the same commit also publishes the notice of `leave`. */
  async settle(settlement: Settlement, isLeft: boolean): Promise<void> {
    await this.#batches.submit({ settlement, isLeft });
  }

  /**
   * Resolves once a failed attempt and the time of the next one are durable; to true if the delivery was settled elsewhere. `isLeft`
   * means the same as for `settle`.
   */
  postpone(postponement: Postponement, isLeft: boolean): Promise<boolean> {
    return this.#batches.submit({ postponement, isLeft });
  }

  /** Resolves once an endpoint's health is durable. */
  async noteHealth(health: EndpointHealth): Promise<void> {
    await this.#batches.submit({ health });
  }

  /** Resolves once a notice is durable that makes the node now working the endpoint's queue read all of it again. */
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
    // The last health of each endpoint counts.
    const health = new Map(items.flatMap((item) => ('health' in item ? [[item.health.id, item.health] as const] : [])));
    // The last end of each delivery counts: one statement cannot write a row twice.
    const ends = [...new Map(settlements.map((item) => [queueKey(item.row.endpointNumber, item.row), item])).values()];
    // Health first, so that a reader that sees the attempt also sees its effect on the endpoint.
    if (health.size > 0) await this.#untilDone(() => updateHealth(db, [...health.values()]));
    const writeAttempts = async (tx: Queryable) => {
      if (ends.length > 0) await recordSettlements(tx, ends);
      const ended = postponements.length > 0 ? await recordPostponements(tx, postponements) : [];
      if (left.length > 0) await publishChange(tx, 'webhook_queue', renderNews(WHOLE_QUEUE, left));
      return new Set(ended);
    };
    // In one transaction: if this process ended in between, the notice would never be published.
    const gone = await this.#untilDone(() => (left.length > 0 ? db.transaction(writeAttempts) : writeAttempts(db)));
    return items.map((item) => 'settlement' in item || ('postponement' in item && gone.has(item.postponement)));
  }

  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return writeUntilDone(this.#deps, 'webhook attempts', write);
  }
}

/** Returns the endpoint whose queue the node that now works it has to read again, if any. */
function leftBy(item: Item): { endpointNumber: number }[] {
  if ('left' in item) return [item.left];
  if ('health' in item || !item.isLeft) return [];
  return ['settlement' in item ? item.settlement.row : item.postponement.row];
}
