import type { Logger } from 'pino';
import { pause } from '../../core/run/waiting.ts';
import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { toSchedulerRow } from '../numbers/queue-as-read.ts';
import { listFlowRows, listRecipientRows } from '../queue/queue-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { ReadRequest, Scheduler } from '../scheduler/index.ts';
import type { ShardQueues } from './shard-queues.ts';

export interface QueueReaderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  scheduler: Scheduler;
  queues: Pick<ShardQueues, 'catchUp'>;
  wakeup: Pick<Wakeup, 'wake'>;
}

const READS_MAX = 64;
const RETRY_MS = 250;

/** Runs the reads that the scheduler requests, many in one statement. */
export class QueueReader {
  readonly #deps: QueueReaderDeps;
  #running = 0;

  constructor(deps: QueueReaderDeps) {
    this.#deps = deps;
  }

  /** Starts the reads due at `nowMs` (monotonic clock), unless reads are in progress. */
  run(nowMs: number): void {
    const { scheduler } = this.#deps;
    if (this.#running > 0) return;
    const requests = scheduler.takeReads(nowMs, READS_MAX);
    const flows = requests.filter((request) => request.kind === 'flow');
    const recipients = requests.filter((request) => request.kind === 'recipient');
    if (flows.length > 0) void this.#answer(flows, listFlowRows, ({ numberId, flowId }) => `${numberId}:${flowId}`);
    if (recipients.length > 0)
      void this.#answer(recipients, listRecipientRows, ({ numberId, contact }) => `${numberId}:${contact}`);
  }

  async #answer<Read extends ReadRequest>(
    requests: Read[],
    list: (db: Database, requests: Read[]) => Promise<QueueRow[]>,
    groupOf: (one: Read | QueueRow) => string,
  ): Promise<void> {
    const { db, clock, log, scheduler } = this.#deps;
    this.#running += 1;
    try {
      const rowsOf = Map.groupBy(await list(db, requests), groupOf);
      await this.#deps.queues.catchUp();
      const nowMs = clock.monotonicMs();
      const offsetMs = nowMs - clock.now();
      for (const request of requests) {
        const rows = rowsOf.get(groupOf(request)) ?? [];
        scheduler.answerRead(
          nowMs,
          request.id,
          rows.map((row) => toSchedulerRow(row, nowMs, offsetMs)),
        );
      }
    } catch (error) {
      log.error({ err: error, reads: requests.length }, 'queue read failed; the scheduler will request it again');
      await pause(clock, RETRY_MS);
      for (const request of requests) scheduler.answerRead(clock.monotonicMs(), request.id, null);
    }
    this.#running -= 1;
    this.#deps.wakeup.wake();
  }
}
