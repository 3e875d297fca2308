import type { EndpointQueue, Read, ReadResult } from '../endpoint-queue.ts';
import { CONVERSATION_ROWS } from '../endpoint-queue.ts';
import type { QueueRow } from '../queue-queries.ts';
import { messageEvent } from './sample-events.ts';

/** An endpoint's part of the queue table, in memory. Times are milliseconds of one clock. */
export class QueueTable {
  readonly rows = new Map<number, QueueRow>();
  #seq = 0;

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

  /** What a read finds now, as `QueueReader` would put it together. */
  read(read: Read, queue: EndpointQueue, nowMs: number): ReadResult {
    const inOrder = [...this.rows.values()].sort((a, b) => a.seq - b.seq);
    const { fresh: wanted } = read;
    const fresh =
      wanted === undefined
        ? []
        : inOrder.filter((row) => row.dueAtMs === null && row.seq > wanted.afterSeq).slice(0, read.rowsMax);
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
    const found = [
      ...fresh,
      ...retries.filter((row) => (row.dueAtMs ?? 0) <= nowMs),
      ...[...conversations.values()].flat(),
    ];
    const events = new Map(
      found.filter((row) => !queue.knows(row.seq)).map((row) => [row.seq, messageEvent({ type: 'message.sent' })]),
    );
    return {
      fresh: fresh.map((row) => ({ ...row })),
      retries: read.retries ? retries.map((row) => ({ ...row })) : [],
      conversations,
      blocked,
      events,
    };
  }
}
