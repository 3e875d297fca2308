import type { Clock } from '../core/clock.ts';
import { readChangedKeys, takeSnapshot } from '../database/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import type { Endpoint } from './endpoint.ts';
import { listAllEndpoints, listEndpointsById } from './endpoint-queries.ts';

/** What is older is read anew: looking through what all topics of the feed had since would cost more. */
const KNOWN_MS_MAX = 60_000;

interface Known {
  byId: Map<string, Endpoint>;
  /** What was committed when they were read, or before. */
  snapshot: string;
  atMs: number;
}

/**
 * Every organization's endpoints, for one who looks at them often: only those that changed since the look before are read again.
 * Which ones those are is asked of the database, because what this node has heard from the feed may be behind.
 */
export class KnownEndpoints {
  readonly #clock: Clock;
  #known: Known | undefined;
  #timesForgotten = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All endpoints, by organization, with every change committed before the call. */
  async read(db: Queryable): Promise<Map<string, Endpoint[]>> {
    const timesForgotten = this.#timesForgotten;
    const before = this.#known;
    // Whatever fails from here on leaves nothing known.
    this.#known = undefined;
    const atMs = this.#clock.monotonicMs();
    const isFresh = before !== undefined && atMs - before.atMs <= KNOWN_MS_MAX;
    const known = isFresh ? await follow(db, before, atMs) : await readAll(db, atMs);
    if (timesForgotten === this.#timesForgotten) this.#known = known;
    return Map.groupBy(known.byId.values(), (endpoint) => endpoint.organizationId);
  }

  /** Has the next look read everything. */
  forget(): void {
    this.#timesForgotten += 1;
    this.#known = undefined;
  }
}

async function readAll(db: Queryable, atMs: number): Promise<Known> {
  const snapshot = await takeSnapshot(db);
  const endpoints = await listAllEndpoints(db);
  return { byId: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])), snapshot, atMs };
}

async function follow(db: Queryable, { byId, snapshot: since }: Known, atMs: number): Promise<Known> {
  const { snapshot, keys } = await readChangedKeys(db, 'webhook', since);
  const endpoints = keys.length === 0 ? [] : await listEndpointsById(db, keys);
  for (const id of keys) byId.delete(id);
  for (const endpoint of endpoints) byId.set(endpoint.id, endpoint);
  return { byId, snapshot, atMs };
}
