import type { Logger } from 'pino';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { isPassing, sqlStateOf } from '../../database/failures.ts';
import { type ApplyDeps, applyPayloads, countInbound, listUnowned, resolvePayloads } from '../apply/apply-payload.ts';
import { emptyPayload, failureOf, tryReadPayload, type UpstreamPayload } from '../payload/upstream-payload.ts';
import { finishPending, hasPending, holdPending, takePending } from '../queries.ts';

export interface PendingDeps extends ApplyDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

const POLL_MS = 1_000;
/** Time between looks after one that found nothing: payloads are left pending only by failures and by nodes that ended. */
const IDLE_MS = 5_000;
const SET_MAX = 50;
const SET_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Applies journaled payloads that are pending, oldest first, in batches. If a batch cannot be applied, each of its payloads is applied
 * alone, and halved until the bad items are found, so that all others are applied. Temporary failures leave payloads pending. Several
 * nodes may do this at once.
 */
export class PendingPayloads {
  readonly #deps: PendingDeps;
  readonly #chores: Chores;
  #foundNone = false;

  constructor(deps: PendingDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  start(): void {
    this.#chores.every(
      () => (this.#foundNone ? IDLE_MS : POLL_MS),
      () => this.#workOff(),
    );
  }

  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #workOff(): Promise<void> {
    try {
      this.#foundNone = !(await hasPending(this.#deps.db));
      while (!this.#foundNone && !this.#chores.stopped && (await this.#applySet()) > 0) {
        // Each batch is a transaction of its own, so finished work is kept.
      }
    } catch (error) {
      this.#foundNone = false;
      this.#deps.log.warn({ err: error }, 'pending webhooks could not be applied; retrying in one second');
    }
  }

  /** Applies the oldest batch; returns the number of its payloads. */
  async #applySet(): Promise<number> {
    try {
      const { taken, receivers } = await this.#deps.db.transaction((tx) => this.#applyTogether(tx));
      countInbound(this.#deps, receivers);
      return taken;
    } catch (error) {
      if (passes(error)) throw error;
      return await this.#deps.db.transaction((tx) => this.#applySingly(tx));
    }
  }

  async #applyTogether(tx: Queryable): Promise<{ taken: number; receivers: number[] }> {
    const rows = await takePending(tx, SET_MAX, SET_BYTES_MAX);
    const readings = rows.map((row) => tryReadPayload(row.payload, row.receivedAt.getTime()));
    const resolved = await resolvePayloads(
      this.#deps,
      readings.flatMap(({ parsed }) => parsed ?? []),
    );
    const receivers = await applyPayloads(tx, this.#deps, resolved, this.#deps.clock.now());
    await finishPending(
      tx,
      rows.map((row, index) => {
        const { parsed, unreadable = [] } = readings[index] ?? {};
        const unowned = parsed === undefined ? [] : listUnowned(parsed, resolved);
        return { ...row, failure: failureOf([...unreadable, ...unowned]) };
      }),
    );
    return { taken: rows.length, receivers };
  }

  async #applySingly(tx: Queryable): Promise<number> {
    const rows = await takePending(tx, SET_MAX, SET_BYTES_MAX);
    for (const row of rows) {
      const { parsed, unreadable } = tryReadPayload(row.payload, row.receivedAt.getTime());
      const troubles = parsed === undefined ? [] : await this.#applyItems(tx, singleItems(parsed));
      await finishPending(tx, [{ ...row, failure: failureOf([...unreadable, ...troubles]) }]);
    }
    return rows.length;
  }

  /**
   * Applies items together, in a transaction of their own; if that fails, each half of them. Returns the reasons for items that could not
   * be applied. Keeps `holder`, whose transaction locks their payload, from being idle meanwhile, because the server would end it.
   */
  async #applyItems(holder: Queryable, items: readonly UpstreamPayload[]): Promise<string[]> {
    const { db, clock, log } = this.#deps;
    await holdPending(holder);
    try {
      const resolved = await resolvePayloads(this.#deps, items);
      countInbound(this.#deps, await db.transaction((tx) => applyPayloads(tx, this.#deps, resolved, clock.now())));
      return [];
    } catch (error) {
      if (passes(error)) throw error;
      if (items.length <= 1) {
        log.error({ err: error }, 'webhook item could not be applied; its payload keeps the reason');
        return [error instanceof Error ? error.message : 'unknown'];
      }
    }
    const middle = Math.ceil(items.length / 2);
    const troubles = await this.#applyItems(holder, items.slice(0, middle));
    return troubles.concat(await this.#applyItems(holder, items.slice(middle)));
  }
}

/**
 * Returns true if applying may succeed later without any change. Lost connections and exhausted pools raise plain errors. Errors of
 * Fairway's own code about a payload's content have their own classes.
 */
function passes(error: unknown): boolean {
  if (sqlStateOf(error) !== undefined) return isPassing(error);
  return error instanceof AggregateError || (error instanceof Error && error.constructor === Error);
}

function singleItems(payload: UpstreamPayload): UpstreamPayload[] {
  const empty = emptyPayload();
  return [
    ...payload.statuses.map((status) => ({ ...empty, statuses: [status] })),
    ...payload.inbound.map((message) => ({ ...empty, inbound: [message] })),
    ...payload.outside.map((message) => ({ ...empty, outside: [message] })),
    ...payload.calls.map((call) => ({ ...empty, calls: [call] })),
    ...payload.changes.map((change) => ({ ...empty, changes: [change] })),
  ];
}
