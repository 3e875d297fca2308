import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { Event } from '../event.ts';
import { type EventPosition, encodeCursor, FIRST_POSITION } from '../event-cursor.ts';
import type { EventType } from '../event-types.ts';
import { readEventsByRef } from '../queries.ts';
import { type EventHead, listEventHeads } from './commit-order-queries.ts';
import type { EventWatch } from './event-watch.ts';

export interface PullDeps {
  db: Queryable;
  clock: Clock;
  watch: EventWatch;
}

/** The caller's filter. */
interface EventFilter {
  types: ReadonlySet<EventType> | undefined;
  numberIds: ReadonlySet<number> | undefined;
}

export interface PullRequest {
  organizationId: string;
  after: EventPosition;
  filter: EventFilter;
  limit: number;
  /** Time to wait for an event if there is none; 0 answers at once. */
  waitMs: number;
  /** Aborted when the caller disconnects; ends the wait. */
  gone: AbortSignal;
}

/** Maximum number of events scanned for one answer, including filtered ones. */
const SCAN_MAX = 2_000;
/** Maximum text in one answer: the length of inbound messages is not under the caller's control. */
const BYTES_MAX = 4 * 1024 * 1024;

/**
 * Returns the next events of an organization after a position, and the position to continue from. If there are none, it waits for the
 * first, without holding a database connection. An answer may hold fewer events than exist, or none, if they are long or mostly filtered
 * out: the caller continues from `next`.
 */
export async function pullEvents(deps: PullDeps, request: PullRequest): Promise<{ events: Event[]; next: string }> {
  const { clock, watch } = deps;
  if (request.waitMs === 0) return await readPage(deps, request, request.after);
  const deadlineMs = clock.monotonicMs() + request.waitMs;
  const watcher = await watch.open(request.organizationId);
  request.gone.addEventListener('abort', watcher.close, { once: true });
  try {
    let page = await readPage(deps, request, request.after);
    while (page.events.length === 0 && !page.more && !request.gone.aborted && !watch.stopped) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) break;
      await watcher.news(leftMs);
      page = await readPage(deps, request, page.position);
    }
    return page;
  } finally {
    watcher.close();
  }
}

interface Page {
  events: Event[];
  position: EventPosition;
  next: string;
  /** True if more events can be scanned at once. */
  more: boolean;
}

async function readPage(deps: PullDeps, request: PullRequest, after: EventPosition): Promise<Page> {
  const { organizationId, filter, limit } = request;
  const unfiltered = filter.types === undefined && filter.numberIds === undefined;
  const { heads, horizon, isKnown } = await listEventHeads(
    deps.db,
    organizationId,
    after,
    unfiltered ? limit : SCAN_MAX,
  );
  // The position is from before the database was restored to an earlier time, so events written since may precede it. Only its time counts
  // then. Events of the days before it that are searched may be returned again.
  if (!isKnown || BigInt(after.xid) > BigInt(horizon)) {
    return await readPage(deps, request, { ...FIRST_POSITION, atSeconds: after.atSeconds });
  }
  const wanted = heads.filter((head) => matches(head, filter)).slice(0, limit);
  const refs = wanted.map(({ position }) => ({ ...position, organizationId }));
  const { events, isAll } =
    refs.length === 0 ? { events: [], isAll: true } : await readEventsByRef(deps.db, refs, BYTES_MAX, deps.clock.now());
  // After a full answer, reading continues after its last event; otherwise after the last event scanned.
  const last = !isAll ? events.at(-1) : wanted.length === limit ? wanted.at(-1) : heads.at(-1);
  const position = last?.position ?? after;
  const more = heads.length === (unfiltered ? limit : SCAN_MAX);
  return { events, position, next: encodeCursor(position), more };
}

function matches(head: EventHead, { types, numberIds }: EventFilter): boolean {
  return (types?.has(head.type) ?? true) && (numberIds === undefined || numberIds.has(head.numberId ?? Number.NaN));
}
