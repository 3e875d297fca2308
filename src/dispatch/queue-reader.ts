import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { pause } from '../core/waiting.ts';
import type { Database } from '../database/database.ts';
import { toSchedulerRow } from './number-book.ts';
import { listFlowRows, listRecipientRows } from './queue-queries.ts';
import type { QueueRow } from './queue-row.ts';
import type { FlowRead, ReadRequest, RecipientRead, Scheduler } from './scheduler/index.ts';

export interface QueueReaderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  scheduler: Scheduler;
  /** Resolves once everything committed before the call is known to the scheduler. */
  catchUp: () => Promise<void>;
  /** Called after the scheduler learned something. */
  changed: () => void;
}

const READS_MAX = 64;
const RETRY_MS = 250;

/** Runs the reads the scheduler asks for, many in one statement. */
export class QueueReader {
  readonly #deps: QueueReaderDeps;
  #running = 0;

  constructor(deps: QueueReaderDeps) {
    this.#deps = deps;
  }

  /** Starts the reads wanted now, if none are under way. */
  run(): void {
    const { scheduler, clock } = this.#deps;
    if (this.#running > 0) return;
    const requests = scheduler.takeReads(clock.monotonicMs(), READS_MAX);
    const flows = requests.filter((request): request is FlowRead => request.kind === 'flow');
    const recipients = requests.filter((request): request is RecipientRead => request.kind === 'recipient');
    if (flows.length > 0)
      void this.#answer(
        flows,
        (db) => listFlowRows(db, flows),
        (row) => `${row.numberId}:${row.flowId}`,
      );
    if (recipients.length > 0) {
      const cursors = recipients.map((read) => ({ ...read, contact: read.recipient }));
      void this.#answer(
        recipients,
        (db) => listRecipientRows(db, cursors),
        (row) => `${row.numberId}:${row.contact}`,
      );
    }
  }

  async #answer(
    requests: ReadRequest[],
    read: (db: Database) => Promise<QueueRow[]>,
    groupOf: (row: QueueRow) => string,
  ): Promise<void> {
    const { db, clock, log, scheduler } = this.#deps;
    this.#running += 1;
    try {
      const rowsOf = Map.groupBy(await read(db), groupOf);
      await this.#deps.catchUp();
      const nowMs = clock.monotonicMs();
      const offsetMs = nowMs - clock.now();
      for (const request of requests) {
        const rows =
          rowsOf.get(`${request.numberId}:${request.kind === 'flow' ? request.flowId : request.recipient}`) ?? [];
        scheduler.answerRead(
          nowMs,
          request.id,
          rows.map((row) => toSchedulerRow(row, offsetMs)),
        );
      }
    } catch (error) {
      log.error({ err: error, reads: requests.length }, 'queue read failed');
      await pause(clock, RETRY_MS);
      for (const request of requests) scheduler.failRead(clock.monotonicMs(), request.id);
    }
    this.#running -= 1;
    this.#deps.changed();
  }
}
