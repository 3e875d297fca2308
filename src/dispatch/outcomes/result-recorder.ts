import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import { writeUntilDone } from '../../database/connection/write-until-done.ts';
import type { Database } from '../../database/database.ts';
import type { QueueKey } from '../queue/queue-row.ts';
import type { AttemptNote } from './attempt-note.ts';
import { insertAttempts } from './attempt-queries.ts';
import type { DispatchOutcome, SettledMessage } from './dispatch-outcome.ts';
import { RecentCompletions } from './recent-completions.ts';
import {
  type Completion,
  type JournalKey,
  type Postponement,
  recordCompletions,
  recordPostponements,
} from './result-queries.ts';

export interface ResultRecorderDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** Returns true if something waits for the end of this message: a caller, or the recipient's next message. */
  isAwaited: (message: QueueKey) => boolean;
  /** Called for every message whose end is recorded, after the commit. */
  onSettled: (message: SettledMessage) => void;
  /** Called with the digests of just-recorded wamids whose statuses arrived early and wait. */
  onEarlyStatuses: (wamidDigests: string[]) => void;
}

type Item =
  | { completion: Completion }
  | { postponement: Postponement }
  | { attempt: AttemptNote }
  | { again: Completion }
  | { journalsOnly: true };

/** Time between two writes of results that nothing waits for, and the number of items that ends it. */
const SPACING_MS = 50;
const ENOUGH = 64;
/** Journal rows are deleted with results. If no result arrives, they are deleted alone after this time. */
const JOURNAL_FLUSH_MS = 500;

/**
 * Writes results in micro-batches and retries until they are written. A result is the only knowledge of a message that has left, so a
 * failing database is retried for as long as the process lives. Every statement can be repeated safely.
 */
export class ResultRecorder {
  readonly #deps: ResultRecorderDeps;
  readonly #batches: MicroBatcher<Item, undefined>;
  readonly #recent = new RecentCompletions();
  #finishedJournals: JournalKey[] = [];
  #cancelJournalFlush: (() => void) | undefined;

  constructor(deps: ResultRecorderDeps) {
    this.#deps = deps;
    this.#batches = new MicroBatcher({
      flush: (items) => this.#write(items),
      itemsMax: 512,
      lanes: 1,
      enough: ENOUGH,
      spacing: { ms: SPACING_MS, clock: deps.clock },
    });
  }

  /** Resolves once the end of a message is durable and reported. `begunAtMs`: start of the attempt with this answer (epoch ms). */
  async complete(
    message: QueueKey & { organizationId: string },
    outcome: DispatchOutcome,
    begunAtMs?: number,
  ): Promise<void> {
    const { clock, isAwaited, onSettled } = this.#deps;
    const { organizationId, messageId, numberId, flowId, seq } = message;
    const atMs = clock.now();
    const completion = { organizationId, messageId, numberId, flowId, seq, atMs, result: outcome };
    await this.#batches.submit({ completion }, isAwaited(message));
    onSettled({ organizationId, messageId, outcome, begunAtMs });
  }

  /** Resolves once the retry or hold is durable. */
  postpone(postponement: Postponement): Promise<undefined> {
    return this.#batches.submit({ postponement }, true);
  }

  /** Stores an attempt for its message's timeline. No caller waits for it, because dispatch does not depend on it. */
  note(attempt: AttemptNote): void {
    void this.#batches.submit({ attempt });
  }

  /** Deletes a journal row with the next write. Each of its messages must have its result submitted, or need none. */
  finishJournal(key: JournalKey): void {
    this.#finishedJournals.push(key);
    this.#cancelJournalFlush ??= this.#deps.clock.schedule(
      JOURNAL_FLUSH_MS,
      () => void this.#batches.submit({ journalsOnly: true }),
    );
  }

  /** Handles a broken database connection: the next one may lead to a server that lacks the last results. */
  connectionBroke(): void {
    this.#recent.doubt(this.#deps.clock.monotonicMs());
  }

  /** True if this process has recorded the end of the message, and the database may have lost it since. */
  hasEnded(messageId: string): boolean {
    return this.#recent.has(this.#deps.clock.monotonicMs(), messageId);
  }

  /** Records the ends of the last minute again, after a failover that may have lost some. Changes nothing for the others. */
  async recordAgain(): Promise<void> {
    await Promise.all(this.#recent.list().map((again) => this.#batches.submit({ again })));
  }

  /** Resolves when every item submitted before the call is written, even if further items keep arriving. */
  async drain(): Promise<void> {
    await this.#batches.submit({ journalsOnly: true }, true);
  }

  async #write(items: Item[]): Promise<undefined[]> {
    const { db, nodeId, clock } = this.#deps;
    const ended = items.flatMap((item) => ('completion' in item ? [item.completion] : []));
    const again = items.flatMap((item) => ('again' in item ? [item.again] : []));
    const completions = [...ended, ...again].sort(byMessage);
    const postponements = items
      .flatMap((item) => ('postponement' in item ? [item.postponement] : []))
      .sort((a, b) => a.seq - b.seq);
    if (postponements.length > 0) await this.#untilDone(() => recordPostponements(db, nodeId, postponements));
    const finished = this.#finishedJournals.splice(0);
    this.#cancelJournalFlush?.();
    this.#cancelJournalFlush = undefined;
    if (completions.length > 0 || finished.length > 0) {
      const early = await this.#untilDone(() => recordCompletions(db, nodeId, completions, finished, clock.now()));
      if (early.length > 0) this.#deps.onEarlyStatuses(early);
      this.#recent.note(clock.monotonicMs(), ended);
    }
    const attempts = items.flatMap((item) => ('attempt' in item ? [item.attempt] : []));
    if (attempts.length > 0) {
      await insertAttempts(db, attempts).catch((error) =>
        this.#deps.log.warn({ err: error }, 'attempts not stored; their timelines miss them'),
      );
    }
    return items.map(() => undefined);
  }

  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return writeUntilDone(this.#deps, 'results', write);
  }
}

// Every statement that writes messages locks rows in this order.
function byMessage(a: Completion, b: Completion): number {
  return compare(a.organizationId, b.organizationId) || compare(a.messageId, b.messageId);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
