import type { Clock } from '../../core/time/clock.ts';
import { readChangedKeys, takeSnapshot } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { Endpoint } from '../endpoint.ts';
import { listEndpointsById, listEndpointVersions } from './endpoint-queries.ts';

/** What is older is read anew: looking through what all topics of the feed had since would cost more. */
const KNOWN_MS_MAX = 60_000;

/** A look at the database. */
interface Look {
  /** What was committed when it was taken, or before, is known. */
  snapshot: string;
  atMs: number;
}

/**
 * Every organization's endpoints, for one who looks at them often: only those that changed since the look before are read again.
 * Which ones those are is asked of the database, because what this node has heard from the feed may be behind.
 */
export class KnownEndpoints {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Endpoint>();
  #lastLook: Look | undefined;
  #timesDoubted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All endpoints, by organization, with every change committed before the call. */
  async read(db: Queryable): Promise<Map<string, Endpoint[]>> {
    const timesDoubted = this.#timesDoubted;
    const lastLook = this.#lastLook;
    // Whatever fails from here on has the next look compare everything.
    this.#lastLook = undefined;
    const atMs = this.#clock.monotonicMs();
    const isFresh = lastLook !== undefined && atMs - lastLook.atMs <= KNOWN_MS_MAX;
    const snapshot = isFresh ? await this.#follow(db, lastLook.snapshot) : await this.#compare(db);
    if (timesDoubted === this.#timesDoubted) this.#lastLook = { snapshot, atMs };
    return Map.groupBy(this.#byId.values(), (endpoint) => endpoint.organizationId);
  }

  /** Changes may have been missed: the next look compares everything that is known. */
  doubt(): void {
    this.#timesDoubted += 1;
    this.#lastLook = undefined;
  }

  async #follow(db: Queryable, since: string): Promise<string> {
    const { snapshot, keys } = await readChangedKeys(db, 'webhook', since);
    await this.#readAnew(db, keys);
    return snapshot;
  }

  async #compare(db: Queryable): Promise<string> {
    const snapshot = await takeSnapshot(db);
    const versions = await listEndpointVersions(db);
    const gone = new Set(this.#byId.keys());
    for (const { id } of versions) gone.delete(id);
    const changed = versions.filter(({ id, updatedAtMs }) => this.#byId.get(id)?.updatedAtMs !== updatedAtMs);
    await this.#readAnew(db, [...gone, ...changed.map(({ id }) => id)]);
    return snapshot;
  }

  async #readAnew(db: Queryable, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const endpoints = await listEndpointsById(db, ids);
    for (const id of ids) this.#byId.delete(id);
    for (const endpoint of endpoints) this.#byId.set(endpoint.id, endpoint);
  }
}
