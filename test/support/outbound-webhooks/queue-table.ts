import type { Event } from '../../../src/events/index.ts';
import type { EndpointQueue } from '../../../src/outbound-webhooks/buffer/endpoint-queue.ts';
import { CONVERSATION_ROWS } from '../../../src/outbound-webhooks/buffer/endpoint-queue.ts';
import type { Read, ReadResult } from '../../../src/outbound-webhooks/buffer/queue-read.ts';
import type { FreshRow, QueueRow } from '../../../src/outbound-webhooks/queue/queue-queries.ts';
import { messageEvent } from './sample-events.ts';

const EVENT = messageEvent({ type: 'message.sent' });

/** An endpoint's part of the queue table, in memory. Times are milliseconds of one clock. */
export class QueueTable {
  readonly rows = new Map<number, QueueRow>();
  /** Rows whose events no longer exist. */
  readonly eventless = new Set<number>();
  /** Rows without events that a read requested. */
  readonly gone: QueueRow[] = [];
  /** Highest number of rows that a read for untried rows examines. */
  lookedAtMax = 1_000;
  readonly #event: Event;
  #seq = 0;

  /** Creates an empty table; all its rows share one event. */
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

  /** Returns all rows as they are now. */
  copyRows(): QueueRow[] {
    return [...this.rows.values()].map((row) => ({ ...row }));
  }

  /** Returns the result of a read that found `rows`, as `QueueReader` would compose it, with at most `eventsMax` events. */
  read(
    read: Read,
    queue: EndpointQueue,
    nowMs: number,
    eventsMax = Number.POSITIVE_INFINITY,
    rows = this.copyRows(),
  ): ReadResult {
    const inOrder = rows.sort((a, b) => a.seq - b.seq);
    const { fresh: place } = read;
    const fresh =
      place === undefined ? [] : freshAmong(inOrder, place.afterSeq, this.lookedAtMax).slice(0, read.rowsMax);
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
    const wanted = [
      ...[...conversations.values()].flat(),
      ...retries.filter((row) => (row.dueAtMs ?? 0) <= nowMs),
      ...fresh.filter((row) => !row.isBlocked),
    ].filter((row) => !queue.knows(row.seq));
    const toRead = wanted.slice(0, eventsMax).filter((row) => !this.eventless.has(row.seq));
    this.gone.push(...wanted.slice(0, eventsMax).filter((row) => this.eventless.has(row.seq)));
    return {
      fresh,
      retries: read.retries ? retries : [],
      conversations,
      events: new Map(toRead.map((row) => [row.seq, this.#event])),
      unread: new Set(wanted.slice(eventsMax).map((row) => row.seq)),
    };
  }
}

/** Returns the rows that `listFreshRows` would find. */
function freshAmong(inOrder: readonly QueueRow[], afterSeq: number, lookedAtMax: number): FreshRow[] {
  const lookedAt = inOrder.filter((row) => row.seq > afterSeq).slice(0, lookedAtMax);
  const firstOf = new Map(inOrder.toReversed().map((row) => [row.conversation, row]));
  return lookedAt.flatMap((row, index) => {
    const isBlocked =
      row.dueAtMs !== null || (row.conversation !== null && firstOf.get(row.conversation)?.dueAtMs !== null);
    if (isBlocked && index < lookedAt.length - 1) return [];
    return [{ ...row, isBlocked, isCut: index === lookedAtMax - 1 }];
  });
}
