import type { Logger } from 'pino';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isSince } from '../../database/changes/snapshot.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { decodeCursor, type Event, type EventPosition, encodeCursor, readCommittedEvents } from '../../events/index.ts';
import type { Entry } from '../buffer/entry.ts';
import { linkEvents } from '../buffer/link-events.ts';
import type { Endpoint } from '../endpoint.ts';
import { isWanted } from '../endpoints/endpoint-match.ts';
import { KnownEndpoints } from '../endpoints/known-endpoints.ts';
import { type NewDelivery, queueDeliveries } from '../queue/queue-deliveries.ts';
import { type FanOutState, lockQueue, moveFanOut, readFanOut } from '../queue/queue-queries.ts';

export interface FanOutDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** Returns true if this node is the one that fans out events now. */
  isOwner: () => boolean;
  /** Takes deliveries that were just queued, in their order. */
  offer: (entries: Entry[]) => void;
  /** Called if other nodes may have queued deliveries since this node last did. */
  begun: () => void;
}

interface Dealing {
  state: FanOutState;
  /** Endpoints by organization. */
  endpoints: Map<string, Endpoint[]>;
  /** Position to read on from; the stored position may lag behind while there is nothing to queue. */
  position: EventPosition;
  storedAtMs: number;
}

const POLL_MS = 50;
/** Time between looks while there is no endpoint, or another node fans out. */
const IDLE_MS = 1_000;
const EVENTS_MAX = 500;
const EVENT_BYTES_MAX = 8 * 1024 * 1024;
/** Deliveries that end a batch, however few its events: an organization may have dozens of endpoints. */
const DELIVERIES_MAX = 2_000;
/**
 * Most organizations named in a read. Beyond this, filtering out the events of the others here is cheaper than naming all in every read.
 */
const ORGANIZATIONS_NAMED_MAX = 100;
/** Longest time in ms that the stored position may lag: it bounds the events read again after a crash. */
const STORE_EVERY_MS = 5_000;

/**
 * Fans out events to endpoints. Reads events in commit order, and queues one delivery for each endpoint that wants one, in the
 * transaction that moves the cursor. So every event becomes each of its deliveries exactly once.
 * One node does this at a time; if two try, the cursor's version lets one through. While no endpoint exists, nothing is read.
 */
export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #endpoints: KnownEndpoints;
  /** `idle` while there is no endpoint. */
  #dealing: Dealing | 'idle' | undefined;
  #endpointChanges = 0;
  /** Cursor version at which this node had offered everything queued so far. */
  #offeredMoves: number | undefined;
  readonly #chores: Chores;
  #runNow = () => {};

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
    this.#endpoints = new KnownEndpoints(deps.clock);
    this.#chores = new Chores(deps);
  }

  start(): void {
    const isIdle = () => this.#dealing === 'idle' || !this.#deps.isOwner();
    this.#runNow = this.#chores.every(
      () => (isIdle() ? IDLE_MS : POLL_MS),
      () => this.#run(),
    );
  }

  stop(): Promise<void> {
    return this.#chores.stop();
  }

  /** Notes that endpoints were created, changed or deleted. */
  endpointsChanged(): void {
    this.#endpointChanges += 1;
    this.#dealing = undefined;
    this.#runNow();
  }

  /** Drops cached state, because changes may have been missed. */
  reset(): void {
    this.endpointsChanged();
    this.#endpoints.doubt();
  }

  async #run(): Promise<void> {
    try {
      if (!this.#deps.isOwner()) {
        this.#dealing = undefined;
        this.#endpoints.doubt();
        return;
      }
      while (!this.#chores.stopped && (await this.#dealSet())) {
        // repeats until no events are left
      }
    } catch (error) {
      this.#dealing = undefined;
      this.#deps.log.warn(
        { err: error },
        'events could not be fanned out to webhook endpoints; retrying at the next poll',
      );
    }
  }

  /** Fans out the next events; returns true if more are likely. */
  async #dealSet(): Promise<boolean> {
    this.#dealing ??= await this.#begin();
    const dealing = this.#dealing;
    if (dealing === undefined) return true;
    if (dealing === 'idle') return false;
    const { db, clock } = this.#deps;
    const { deliveries, next, mayHaveMore } = await readDeliveries(db, dealing.endpoints, dealing.position);
    const isStale = clock.monotonicMs() - dealing.storedAtMs >= STORE_EVERY_MS;
    if ((deliveries.length > 0 || isStale) && !(await this.#store(dealing, next, deliveries))) {
      this.#dealing = undefined;
      await this.#dealLocked();
      return true;
    }
    dealing.position = next;
    return mayHaveMore;
  }

  /**
   * Fans out the next events under the queue's lock, so that no endpoint can change meanwhile. Without this, an owner that changes
   * endpoints without end holds up everyone's events.
   */
  async #dealLocked(): Promise<void> {
    const { db, clock, nodeId } = this.#deps;
    const dealt = await db.transaction(async (tx) => {
      await lockQueue(tx);
      const state = await readFanOut(tx);
      if (state.position === null) return undefined;
      const endpoints = await this.#endpoints.read(tx);
      const { deliveries, next } = await readDeliveries(tx, endpoints, decodeCursor(state.position));
      await moveFanOut(tx, state, encodeCursor(next));
      return { moves: state.moves, queued: await queueDeliveries(tx, nodeId, deliveries, clock.now()) };
    });
    // If other nodes have queued deliveries before these, all are left to be read.
    if (dealt !== undefined && dealt.moves === this.#offeredMoves) this.#offer(dealt.moves + 1, dealt.queued);
  }

  /** Hands over the deliveries queued when the cursor reached the version `moves`. */
  #offer(moves: number, queued: Entry[]): void {
    this.#offeredMoves = moves;
    this.#deps.offer(queued);
  }

  /** Returns the current state of the fan-out; undefined if it changed while it was read. */
  async #begin(): Promise<Dealing | 'idle' | undefined> {
    const { db, clock, begun } = this.#deps;
    const changes = this.#endpointChanges;
    const state = await readFanOut(db);
    // Read after the state: an endpoint that changes in between makes the revision of the state stale.
    const endpoints = await this.#endpoints.read(db);
    const isIdle = state.position === null || endpoints.size === 0;
    if (isIdle && state.position !== null && !(await moveFanOut(db, state, null))) return undefined;
    if (changes !== this.#endpointChanges) return undefined;
    if (state.position === null || isIdle) return 'idle';
    // Only after moves by other nodes: reading every queue again is expensive, and endpoints change often.
    if (state.moves !== this.#offeredMoves) begun();
    this.#offeredMoves = state.moves;
    return { state, endpoints, position: decodeCursor(state.position), storedAtMs: clock.monotonicMs() };
  }

  /** Queues deliveries and moves the cursor. Returns false if another node has moved it, or endpoints have changed. */
  async #store(dealing: Dealing, next: EventPosition, deliveries: NewDelivery[]): Promise<boolean> {
    const { db, clock, nodeId } = this.#deps;
    const queued = await db.transaction(async (tx) => {
      if (!(await moveFanOut(tx, dealing.state, encodeCursor(next)))) return undefined;
      return await queueDeliveries(tx, nodeId, deliveries, clock.now());
    });
    if (queued === undefined) return false;
    dealing.state = { ...dealing.state, moves: dealing.state.moves + 1 };
    dealing.storedAtMs = clock.monotonicMs();
    this.#offer(dealing.state.moves, queued);
    return true;
  }
}

/** Returns the transaction id before which all events have been fanned out; 0 while there is no endpoint. */
export async function dealtUpTo(db: Queryable): Promise<number> {
  const { position } = await readFanOut(db);
  return position === null ? 0 : Number(decodeCursor(position).xid);
}

/** A new delivery with its whole endpoint. */
interface EndpointEvent extends NewDelivery {
  endpoint: Endpoint;
}

/** Returns the deliveries of the next events after `position`, and the position to read on from. */
async function readDeliveries(
  db: Queryable,
  endpoints: ReadonlyMap<string, Endpoint[]>,
  position: EventPosition,
): Promise<{ deliveries: EndpointEvent[]; next: EventPosition; mayHaveMore: boolean }> {
  const wanted = endpoints.size > ORGANIZATIONS_NAMED_MAX ? null : [...endpoints.keys()];
  const { events, next, isCut } = await readCommittedEvents(db, position, wanted, EVENTS_MAX, EVENT_BYTES_MAX);
  const deliveries: EndpointEvent[] = [];
  for (const event of events) {
    deliveries.push(...match(endpoints, event));
    if (deliveries.length >= DELIVERIES_MAX && event !== events.at(-1)) {
      await linkEvents(db, deliveries);
      return { deliveries, next: event.position, mayHaveMore: true };
    }
  }
  await linkEvents(db, deliveries);
  return { deliveries, next, mayHaveMore: isCut };
}

/** Returns the event paired with each endpoint that wants it and existed when it was committed. */
function match(endpointsOf: ReadonlyMap<string, Endpoint[]>, event: Event): EndpointEvent[] {
  const xid = BigInt(event.position.xid);
  return (endpointsOf.get(event.organizationId) ?? [])
    .filter((endpoint) => isSince(endpoint.since, xid) && isWanted(endpoint, event))
    .map((endpoint) => ({ endpoint, event }));
}
