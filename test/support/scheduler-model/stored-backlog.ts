import type { QueueRow, ReadRequest, Scheduler } from '../../../src/dispatch/scheduler/index.ts';
import { marketingFlow, queueRow } from './queue-rows.ts';

/**
 * One marketing flow with any number of rows in the table, generated when they are read: seq s goes to recipient s modulo `recipients`.
 * Counts its reads.
 */
export class StoredBacklog {
  readonly finished = new Set<number>();
  reads = 0;
  readonly #rows: number;
  readonly #recipients: number;

  constructor(rows: number, recipients: number) {
    this.#rows = rows;
    this.#recipients = recipients;
  }

  recipientOf(seq: number): string {
    return `49${seq % this.#recipients}`;
  }

  read(request: ReadRequest): QueueRow[] {
    this.reads += 1;
    const rows: QueueRow[] = [];
    const step = request.kind === 'flow' ? 1 : this.#recipients;
    for (let seq = this.#firstAfter(request); seq <= this.#rows && rows.length < request.limit; seq += step) {
      if (!this.finished.has(seq)) rows.push(queueRow(seq, marketingFlow, this.recipientOf(seq)));
    }
    return rows;
  }

  /** Answers every read of the scheduler at once, until it requests none. */
  answerReads(scheduler: Scheduler, nowMs: number): void {
    for (;;) {
      const requests = scheduler.takeReads(nowMs, 64);
      if (requests.length === 0) return;
      for (const request of requests) {
        const isOurs = request.kind === 'recipient' || request.flowId === marketingFlow;
        scheduler.answerRead(nowMs, request.id, isOurs ? this.read(request) : []);
      }
    }
  }

  #firstAfter(request: ReadRequest): number {
    const next = request.afterSeq + 1;
    if (request.kind === 'flow') return next;
    const wanted = Number(request.contact.slice(2));
    const ahead = (wanted - (next % this.#recipients) + this.#recipients) % this.#recipients;
    return next + ahead;
  }
}
