import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { Queryable } from '../database/database.ts';
import { type Event, type EventKey, eventId, listEventsByRef } from '../events/index.ts';
import { CONVERSATION_ROWS, type EndpointQueue, type Read } from './endpoint-queue.ts';
import {
  listBlockedConversations,
  listConversationRows,
  listFreshRows,
  listRetryRows,
  type QueueOwner,
  type QueueRow,
} from './queue-queries.ts';

export interface QueueReaderDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  /** Deliveries whose events no longer exist. */
  expired: (rows: QueueRow[]) => void;
  /** Told of queues after something was read for them. */
  filled: (queue: EndpointQueue) => void;
}

interface Reading extends QueueOwner {
  queue: EndpointQueue;
  read: Read;
}

const ENDPOINTS_MAX = 64;
const ROWS_MAX = 2_048;
const RETRY_MS = 250;

/** Reads the queues of endpoints that need it, many with one statement, one set at a time. */
export class QueueReader {
  readonly #deps: QueueReaderDeps;
  readonly #waiting = new Set<EndpointQueue>();
  #running = false;
  #stopped = false;

  constructor(deps: QueueReaderDeps) {
    this.#deps = deps;
  }

  /** Looks, soon, whether the queue has to be read. */
  check(queue: EndpointQueue): void {
    this.#waiting.add(queue);
    if (this.#running || this.#stopped) return;
    this.#running = true;
    setImmediate(() => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
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
    try {
      await this.#fill(readings);
    } catch (error) {
      log.warn({ err: error }, 'webhook queues not read; trying again');
      for (const { queue, read } of readings) queue.abandonRead(read);
      await new Promise<void>((resolve) => clock.schedule(RETRY_MS, resolve));
    }
    for (const { queue } of readings) this.#deps.filled(queue);
  }

  async #fill(readings: Reading[]): Promise<void> {
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
    const blocked = readings.filter(({ read }) => read.blocked);
    const [freshRows, retryRows, conversationRows, blockedConversations] = await Promise.all([
      fresh.length > 0 ? listFreshRows(db, fresh) : [],
      retries.length > 0 ? listRetryRows(db, retries) : [],
      conversations.length > 0 ? listConversationRows(db, conversations, CONVERSATION_ROWS) : [],
      blocked.length > 0 ? listBlockedConversations(db, blocked) : [],
    ]);
    const nowWallMs = clock.now();
    const due = retryRows.filter((row) => (row.dueAtMs ?? 0) <= nowWallMs);
    const events = await this.#findEvents(readings, [...freshRows, ...due, ...conversationRows]);
    const nowMs = clock.monotonicMs();
    const [freshOf, retriesOf, conversationsOf] = [
      byEndpoint(freshRows),
      byEndpoint(retryRows),
      byEndpoint(conversationRows),
    ];
    for (const { endpointNumber, queue, read } of readings) {
      const result = {
        fresh: freshOf(endpointNumber),
        retries: retriesOf(endpointNumber),
        conversations: Map.groupBy(conversationsOf(endpointNumber), (row) => row.conversation ?? ''),
        blocked: blockedConversations.flatMap((item) =>
          item.endpointNumber === endpointNumber ? item.conversation : [],
        ),
        events,
      };
      queue.endRead(read, result, nowMs, nowMs - nowWallMs);
    }
  }

  /** The events of rows that are not in memory yet, by the rows' numbers. */
  async #findEvents(readings: Reading[], rows: QueueRow[]): Promise<Map<number, Event>> {
    const queueOf = new Map(readings.map(({ endpointNumber, queue }) => [endpointNumber, queue]));
    const unknown = rows.filter((row) => queueOf.get(row.endpointNumber)?.knows(row.seq) === false);
    if (unknown.length === 0) return new Map();
    const refs = [...new Map(unknown.map((row) => [eventOf(row), row])).values()];
    const found = await listEventsByRef(this.#deps.db, refs);
    const events = new Map(found.map((event) => [`${event.organizationId}:${event.id}`, event]));
    const gone = unknown.filter((row) => !events.has(eventOf(row)));
    if (gone.length > 0) this.#deps.expired(gone);
    return new Map(
      unknown.flatMap((row) => {
        const event = events.get(eventOf(row));
        return event === undefined ? [] : [[row.seq, event] as const];
      }),
    );
  }
}

function eventOf(row: EventKey & { organizationId: string }): string {
  return `${row.organizationId}:${eventId(row)}`;
}

function byEndpoint(rows: QueueRow[]): (endpointNumber: number) => QueueRow[] {
  const groups = Map.groupBy(rows, (row) => row.endpointNumber);
  return (endpointNumber) => groups.get(endpointNumber) ?? [];
}
