import type { Logger } from 'pino';
import { pause } from '../../core/run/waiting.ts';
import { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { type Event, type EventKey, eventId, readEventsByRef } from '../../events/index.ts';
import {
  listConversationRows,
  listFreshRows,
  listRetryRows,
  type QueueOwner,
  type QueueRow,
} from '../queue/queue-queries.ts';
import { CONVERSATION_ROWS, type EndpointQueue } from './endpoint-queue.ts';
import { linkEvents } from './link-events.ts';
import type { Read } from './queue-read.ts';

export interface QueueReaderDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  /** Takes deliveries whose events no longer exist; resolves once their ends are recorded. */
  expired: (rows: QueueRow[]) => Promise<void>;
  /** Called for every queue of a read after it has ended. */
  filled: (queue: EndpointQueue) => void;
}

interface Reading extends QueueOwner {
  queue: EndpointQueue;
  read: Read;
}

const ENDPOINTS_MAX = 64;
const ROWS_MAX = 2_048;
/** Most bytes of event text per read: outsiders decide how long inbound messages are. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;
const RETRY_MS = 250;

/** Reads the queues of endpoints that need it: many with one statement, and one batch at a time. */
export class QueueReader {
  readonly #deps: QueueReaderDeps;
  readonly #waiting = new Set<EndpointQueue>();
  readonly #wakeup = new Wakeup(() => this.#run());
  #running = false;
  #stopped = false;

  constructor(deps: QueueReaderDeps) {
    this.#deps = deps;
  }

  /** Checks soon if the queue has to be read. */
  check(queue: EndpointQueue): void {
    this.#waiting.add(queue);
    if (!this.#running) this.#wakeup.wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wakeup.stop();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0 && !this.#stopped) {
      const readings = this.#begin();
      if (readings.length > 0) await this.#read(readings);
    }
    this.#running = false;
  }

  #begin(): Reading[] {
    const nowMs = this.#deps.clock.monotonicMs();
    const readings: Reading[] = [];
    let rows = 0;
    for (const queue of this.#waiting) {
      if (readings.length >= ENDPOINTS_MAX || rows >= ROWS_MAX) break;
      this.#waiting.delete(queue);
      const read = queue.beginRead(nowMs);
      if (read === undefined) continue;
      const { organizationId, endpointNumber } = queue.endpoint;
      readings.push({ organizationId, endpointNumber, queue, read });
      rows += read.rowsMax;
    }
    return readings;
  }

  async #read(readings: Reading[]): Promise<void> {
    const { clock, log } = this.#deps;
    let next = 0;
    try {
      const { unread } = await this.#fill(readings);
      next = Math.max(
        0,
        readings.findIndex(({ endpointNumber }) => endpointNumber === unread[0]?.endpointNumber),
      );
    } catch (error) {
      log.warn({ err: error }, 'webhook queues could not be read; retrying in 250 ms');
      for (const { queue, read } of readings) queue.abandonRead(read);
      await pause(clock, RETRY_MS);
    }
    // The queue whose turn it was when the byte limit was reached comes first in the next read.
    for (const { queue } of [...readings.slice(next), ...readings.slice(0, next)]) this.#deps.filled(queue);
  }

  /** Returns the rows whose events are left to the next read, in turn. */
  async #fill(readings: Reading[]): Promise<{ unread: QueueRow[] }> {
    const { db, clock } = this.#deps;
    const rowsMaxOf = ({ organizationId, endpointNumber, read }: Reading) => ({
      organizationId,
      endpointNumber,
      rowsMax: read.rowsMax,
    });
    const fresh = readings.flatMap((item) =>
      item.read.fresh === undefined ? [] : { ...rowsMaxOf(item), afterSeq: item.read.fresh.afterSeq },
    );
    const retries = readings.filter(({ read }) => read.retries).map(rowsMaxOf);
    const conversations = readings.flatMap(({ organizationId, endpointNumber, read }) =>
      read.conversations.map((conversation) => ({ organizationId, endpointNumber, conversation })),
    );
    const [freshRows, retryRows, conversationRows] = await Promise.all([
      fresh.length > 0 ? listFreshRows(db, fresh) : [],
      retries.length > 0 ? listRetryRows(db, retries, clock.now()) : [],
      conversations.length > 0 ? listConversationRows(db, conversations, CONVERSATION_ROWS) : [],
    ]);
    const nowWallMs = clock.now();
    const [freshOf, retriesOf, conversationsOf] = [
      byEndpoint(freshRows),
      byEndpoint(retryRows),
      byEndpoint(conversationRows),
    ];
    const wanted = readings.map(({ endpointNumber, queue }) => {
      const due = retriesOf(endpointNumber).filter((row) => (row.dueAtMs ?? 0) <= nowWallMs);
      const free = freshOf(endpointNumber).filter((row) => !row.isBlocked);
      const rows = [...conversationsOf(endpointNumber), ...due, ...free];
      return rows.filter((row) => !queue.knows(row.seq));
    });
    const { events, unread, gone } = await this.#findEvents(inTurn(wanted));
    await linkEvents(
      db,
      readings.flatMap(({ queue }, index) =>
        (wanted[index] ?? []).flatMap(({ seq }) => {
          const event = events.get(seq);
          return event === undefined ? [] : [{ endpoint: queue.endpoint, event }];
        }),
      ),
    );
    const unreadSeqs = new Set(unread.map((row) => row.seq));
    const nowMs = clock.monotonicMs();
    for (const { endpointNumber, queue, read } of readings) {
      const result = {
        fresh: freshOf(endpointNumber),
        retries: retriesOf(endpointNumber),
        conversations: Map.groupBy(conversationsOf(endpointNumber), (row) => row.conversation ?? ''),
        events,
        unread: unreadSeqs,
      };
      queue.endRead(read, result, nowMs, nowMs - nowWallMs);
    }
    // Waits for the records: whole days of such rows may follow each other. If they were read faster than recorded, they would pile up.
    if (gone.length > 0) await this.#deps.expired(gone);
    return { unread };
  }

  /** Returns the events of the first rows by row number, the rows whose events no longer exist, and the rows left to the next read. */
  async #findEvents(rows: QueueRow[]): Promise<{ events: Map<number, Event>; unread: QueueRow[]; gone: QueueRow[] }> {
    const { db, clock } = this.#deps;
    if (rows.length === 0) return { events: new Map(), unread: [], gone: [] };
    const refs = [...new Map(rows.map((row) => [eventOf(row), row])).values()];
    const { events: found, isAll } = await readEventsByRef(db, refs, EVENT_BYTES_MAX, clock.now());
    const eventsById = new Map(found.map((event) => [`${event.organizationId}:${event.id}`, event]));
    const read = isAll ? refs.length : 1 + refs.findLastIndex((row) => eventsById.has(eventOf(row)));
    const left = new Set(refs.slice(read).map(eventOf));
    const gone = rows.filter((row) => !eventsById.has(eventOf(row)) && !left.has(eventOf(row)));
    const events = new Map(
      rows.flatMap((row) => {
        const event = eventsById.get(eventOf(row));
        return event === undefined ? [] : [[row.seq, event] as const];
      }),
    );
    return { events, unread: rows.filter((row) => left.has(eventOf(row))), gone };
  }
}

/** Interleaves lists: the first item of each, then the second of each, and so on. */
function inTurn<Item>(lists: readonly Item[][]): Item[] {
  const rounds = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: rounds }, (_, round) => lists.flatMap((list) => list[round] ?? [])).flat();
}

function eventOf(row: EventKey & { organizationId: string }): string {
  return `${row.organizationId}:${eventId(row)}`;
}

function byEndpoint<Row extends QueueRow>(rows: Row[]): (endpointNumber: number) => Row[] {
  const groups = Map.groupBy(rows, (row) => row.endpointNumber);
  return (endpointNumber) => groups.get(endpointNumber) ?? [];
}
