import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import { MicroBatcher } from '../database/micro-batcher.ts';
import { writeUntilDone } from '../database/write-until-done.ts';
import { type EndpointHealth, updateHealth } from './endpoint-queries.ts';
import { queueKey } from './queue-queries.ts';
import { type Postponement, recordPostponements, recordSettlements, type Settlement } from './settlement-queries.ts';

export interface AttemptRecorderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

type Item = { settlement: Settlement } | { postponement: Postponement } | { health: EndpointHealth };

const ITEMS_MAX = 512;

/**
 * Writes down what attempts came to, in micro-batches, until it is written: a failing database is tried again for as long as
 * the process lives. Every statement can be repeated safely.
 */
export class AttemptRecorder {
  readonly #deps: AttemptRecorderDeps;
  readonly #batches: MicroBatcher<Item, undefined>;

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
  settle(settlement: Settlement): Promise<undefined> {
    return this.#batches.submit({ settlement });
  }

  /** Resolves once a failed attempt and the time of the next one are durable. */
  postpone(postponement: Postponement): Promise<undefined> {
    return this.#batches.submit({ postponement });
  }

  /** Resolves once it is durable how an endpoint fares. */
  noteHealth(health: EndpointHealth): Promise<undefined> {
    return this.#batches.submit({ health });
  }

  /** Resolves when everything submitted is written. */
  drain(): Promise<void> {
    return this.#batches.idle();
  }

  async #write(items: Item[]): Promise<undefined[]> {
    const { db } = this.#deps;
    const settlements = items.flatMap((item) => ('settlement' in item ? item.settlement : []));
    const postponements = items.flatMap((item) => ('postponement' in item ? item.postponement : []));
    // Of an endpoint's states the last one counts.
    const health = new Map(items.flatMap((item) => ('health' in item ? [[item.health.id, item.health] as const] : [])));
    // One statement cannot write a row twice.
    const ends = [...new Map(settlements.map((item) => [queueKey(item.row.endpointNumber, item.row), item])).values()];
    // First, so that whoever sees the attempt sees what it says of the endpoint, too.
    if (health.size > 0) await this.#untilDone(() => updateHealth(db, [...health.values()]));
    if (ends.length > 0) await this.#untilDone(() => recordSettlements(db, ends));
    if (postponements.length > 0) await this.#untilDone(() => recordPostponements(db, postponements));
    return items.map(() => undefined);
  }

  #untilDone(write: () => Promise<void>): Promise<void> {
    return writeUntilDone(this.#deps, 'webhook attempts', write);
  }
}
