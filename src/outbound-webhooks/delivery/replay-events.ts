import { AppError, invalid } from '../../core/errors.ts';
import {
  decodeCursor,
  type Event,
  encodeCursor,
  eventId,
  FIRST_POSITION,
  listEventsByKey,
  parseEventId,
  readEventsBetween,
  readEventsByRef,
} from '../../events/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { getEndpoint } from '../endpoints/change-endpoint.ts';
import type { EndpointDeps } from '../endpoints/create-endpoint.ts';
import { isTellable, isWanted } from '../endpoints/endpoint-match.ts';
import { decodeReplayPlace, encodeReplayPlace, placeBefore } from '../history/delivery-place.ts';
import { listFailed } from '../history/delivery-queries.ts';
import { NO_NODE, queueDeliveries } from '../queue/queue-deliveries.ts';
import { lockQueue } from '../queue/queue-queries.ts';
import { takeBackEnds } from '../queue/settlement-queries.ts';
import { tryRetriesNow } from '../queue/try-retries-now.ts';

type ReplayDeps = Pick<EndpointDeps, 'db' | 'clock'>;

/** Deliveries to repeat. Times are epoch milliseconds; `after` continues an earlier call. */
export type Replay =
  | { kind: 'event'; eventId: string }
  | { kind: 'range'; fromMs: number; toMs: number; after: string | undefined }
  | { kind: 'failed'; sinceMs: number; after: string | undefined };

export interface Replayed {
  /** Number of deliveries queued; deliveries that wait already are not counted. */
  queued: number;
  /** Place to continue from, if there was more than one call does in its time. */
  after: string | undefined;
}

const PAGE = 500;
/** Most bytes of text per read: outsiders decide how long inbound messages are. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** Longest time of one call in ms. If it took longer, the client or a proxy would give up and start again from the same place. */
const CALL_MS_MAX = 3_000;

/**
 * Queues deliveries of past events to an endpoint again. A replay covers one event, the events in a time range that the endpoint's filter
 * lets through, or deliveries that failed for good since a time. The last also makes pending retries due at once.
 * Raises NOT_FOUND for an unknown endpoint or event, VALIDATION_ERROR for an event that cannot be replayed.
 */
export async function replayEvents(
  deps: ReplayDeps,
  organizationId: string,
  endpointId: string,
  replay: Replay,
): Promise<Replayed> {
  const endpoint = await getEndpoint(deps, organizationId, endpointId);
  switch (replay.kind) {
    case 'event':
      return await replayEvent(deps, endpoint, replay.eventId);
    case 'range':
      return await replayRange(deps, endpoint, replay);
    case 'failed':
      return await replayFailed(deps, endpoint, replay);
  }
}

async function replayEvent(deps: ReplayDeps, endpoint: Endpoint, id: string): Promise<Replayed> {
  const key = parseEventId(id);
  const [event] = key === undefined ? [] : await listEventsByKey(deps.db, endpoint.organizationId, [key]);
  if (event === undefined) throw new AppError('NOT_FOUND', 'There is no event with this id.');
  if (!isTellable(endpoint, event)) {
    throw invalid('The upstream has no webhook for this event; a "cloud_api" endpoint cannot get it.');
  }
  return { queued: await queue(deps, endpoint, [event]), after: undefined };
}

async function replayRange(
  deps: ReplayDeps,
  endpoint: Endpoint,
  { fromMs, toMs, after }: Extract<Replay, { kind: 'range' }>,
): Promise<Replayed> {
  const { clock } = deps;
  const untilMs = clock.monotonicMs() + CALL_MS_MAX;
  let position = after === undefined ? FIRST_POSITION : decodeCursor(after);
  let queued = 0;
  do {
    const range = { fromMs, toMs };
    const { organizationId } = endpoint;
    const { events, next } = await readEventsBetween(deps.db, organizationId, position, range, PAGE, PAGE_BYTES_MAX);
    queued += await queue(
      deps,
      endpoint,
      events.filter((event) => isWanted(endpoint, event)),
    );
    if (next === undefined) return { queued, after: undefined };
    position = next;
  } while (clock.monotonicMs() < untilMs);
  return { queued, after: encodeCursor(position) };
}

async function replayFailed(
  deps: ReplayDeps,
  endpoint: Endpoint,
  { sinceMs, after }: Extract<Replay, { kind: 'failed' }>,
): Promise<Replayed> {
  const { db, clock } = deps;
  const endMs = clock.monotonicMs() + CALL_MS_MAX;
  const begun = after === undefined ? { untilMs: clock.now(), place: placeBefore(sinceMs) } : decodeReplayPlace(after);
  // Deliveries that fail from now on are excluded. Without this, an event that has no form in the format fails again at once and is found
  // without end.
  const { untilMs } = begun;
  let { place } = begun;
  if (after === undefined) {
    await tryRetriesNow(deps, endpoint);
  }
  let queued = 0;
  do {
    const failed = await listFailed(db, endpoint, { place, untilMs, limit: PAGE });
    if (failed.length === 0) return { queued, after: undefined };
    const { events, isAll } = await readEventsByRef(db, failed, PAGE_BYTES_MAX, clock.now());
    queued += await queue(deps, endpoint, events.toSorted(asTold));
    if (isAll && failed.length < PAGE) return { queued, after: undefined };
    const lastRead = events.at(-1)?.id;
    place = failed.findLast((row) => isAll || eventId(row) === lastRead) ?? place;
  } while (clock.monotonicMs() < endMs);
  return { queued, after: encodeReplayPlace({ untilMs, place }) };
}

/** Compares events by their place in the order of all events. Deliveries are listed as they failed, so those read together are sorted. */
function asTold(first: Event, second: Event): number {
  return Number(BigInt(first.position.xid) - BigInt(second.position.xid)) || (first.id < second.id ? -1 : 1);
}

async function queue(deps: ReplayDeps, endpoint: Endpoint, events: Event[]): Promise<number> {
  if (events.length === 0) return 0;
  const queued = await deps.db.transaction(async (tx) => {
    await lockQueue(tx);
    const deliveries = events.map((event) => ({ endpoint, event }));
    const entries = await queueDeliveries(tx, NO_NODE, deliveries, deps.clock.now());
    const rows = entries.map(({ row }) => row);
    await takeBackEnds(tx, endpoint, rows);
    return rows;
  });
  return queued.length;
}
