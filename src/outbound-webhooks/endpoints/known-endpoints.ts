import type { Clock } from '../../core/time/clock.ts';
import { readChangedKeys, takeSnapshot } from '../../database/changes/change-queries.ts';
import type { Queryable } from '../../database/database.ts';
import type { Endpoint } from '../endpoint.ts';
import { listEndpointsById, listEndpointVersions } from './endpoint-queries.ts';

/**
 * Longest age in ms of a read that the next one builds on. Beyond it, searching everything the change feed had since would cost more than
 * comparing all.
 */
const KNOWN_MS_MAX = 60_000;

/** Read of the database. */
interface Look {
  /** Snapshot of the read: every change committed before it is known. */
  snapshot: string;
  atMs: number;
}

/**
 * Caches every organization's endpoints for a frequent reader: only endpoints that changed since the last read are read again. The
 * database is asked which ones these are, because this node's change feed may be behind.
 */
export class KnownEndpoints {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Endpoint>();
  #lastLook: Look | undefined;
  #timesDoubted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns all endpoints by organization, with every change committed before the call. */
  async read(db: Queryable): Promise<Map<string, Endpoint[]>> {
    const timesDoubted = this.#timesDoubted;
    const lastLook = this.#lastLook;
    // Cleared first: if anything fails from here on, the next read compares everything.
    this.#lastLook = undefined;
    const atMs = this.#clock.monotonicMs();
    const isFresh = lastLook !== undefined && atMs - lastLook.atMs <= KNOWN_MS_MAX;
    const snapshot = isFresh ? await this.#follow(db, lastLook.snapshot) : await this.#compare(db);
    if (timesDoubted === this.#timesDoubted) this.#lastLook = { snapshot, atMs };
    return Map.groupBy(this.#byId.values(), (endpoint) => endpoint.organizationId);
  }

  /** Makes the next read compare everything, because changes may have been missed. */
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
