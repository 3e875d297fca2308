import type { Event } from '../../events/index.ts';
import type { EndpointQueue } from '../endpoint-queue.ts';
import { CONVERSATION_ROWS } from '../endpoint-queue.ts';
import type { QueueRow } from '../queue-queries.ts';
import type { Read, ReadResult } from '../queue-read.ts';
import { messageEvent } from './sample-events.ts';

const EVENT = messageEvent({ type: 'message.sent' });

/** An endpoint's part of the queue table, in memory. Times are milliseconds of one clock. */
export class QueueTable {
  readonly rows = new Map<number, QueueRow>();
  readonly #event: Event;
  #seq = 0;

  /** What all rows tell of is one event. */
  constructor(event = EVENT) {
    this.#event = event;
  }

  insert(conversation: string | null): QueueRow {
    this.#seq += 1;
    const row: QueueRow = {
      organizationId: 'o',
      endpointNumber: 1,
      seq: this.#seq,
      subjectId: `00000000-0000-7000-8000-${String(this.#seq).padStart(12, '0')}`,
      sequence: 1,
      atSeconds: 0,
      eventType: 0,
      conversation,
      attempts: 0,
      dueAtMs: null,
    };
    this.rows.set(row.seq, row);
    return row;
  }

  /** What a read finds now, as `QueueReader` would put it together, with no more than `eventsMax` events. */
  read(read: Read, queue: EndpointQueue, nowMs: number, eventsMax = Number.POSITIVE_INFINITY): ReadResult {
    const inOrder = [...this.rows.values()].sort((a, b) => a.seq - b.seq);
    const { fresh: place } = read;
    const fresh =
      place === undefined
        ? []
        : inOrder.filter((row) => row.dueAtMs === null && row.seq > place.afterSeq).slice(0, read.rowsMax);
    const retries = inOrder
      .filter((row) => row.dueAtMs !== null)
      .sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0) || a.seq - b.seq)
      .slice(0, read.rowsMax);
    const conversations = new Map(
      read.conversations.map((conversation) => [
        conversation,
        inOrder.filter((row) => row.conversation === conversation).slice(0, CONVERSATION_ROWS),
      ]),
    );
    const blocked = read.blocked
      ? inOrder.flatMap((row) => (row.dueAtMs === null ? [] : (row.conversation ?? [])))
      : [];
    const wanted = [
      ...[...conversations.values()].flat(),
      ...retries.filter((row) => (row.dueAtMs ?? 0) <= nowMs),
      ...fresh,
    ].filter((row) => !queue.knows(row.seq));
    return {
      fresh: fresh.map((row) => ({ ...row })),
      retries: read.retries ? retries.map((row) => ({ ...row })) : [],
      conversations,
      blocked,
      events: new Map(wanted.slice(0, eventsMax).map((row) => [row.seq, this.#event])),
      unread: new Set(wanted.slice(eventsMax).map((row) => row.seq)),
    };
  }
}
