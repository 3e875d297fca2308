import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import { writeUntilDone } from '../../database/connection/write-until-done.ts';
import type { Database } from '../../database/database.ts';
import type { QueueKey } from '../queue/queue-row.ts';
import type { AttemptNote } from './attempt-note.ts';
import { insertAttempts } from './attempt-queries.ts';
import type { DispatchOutcome, SettledMessage } from './dispatch-outcome.ts';
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
  /** Told of every message whose end is recorded, after that is durable. */
  onSettled: (message: SettledMessage) => void;
  /** Told the digests of just-recorded wamids for which statuses came early and wait. */
  onEarlyStatuses: (wamidDigests: string[]) => void;
}

type Item =
  | { completion: Completion }
  | { postponement: Postponement }
  | { attempt: AttemptNote }
  | { journalsOnly: true };

/** Less than lies between two messages of a number at 80/s. */
const SPACING_MS = 10;
/** Journal rows go along with results; when no result comes, they go alone after this. */
const JOURNAL_FLUSH_MS = 500;

/**
 * Writes results down, in micro-batches, until they are written: a result is all that is known of a message that has left, so
 * a failing database is tried again for as long as the process lives. Every statement can be repeated safely.
 */
export class ResultRecorder {
  readonly #deps: ResultRecorderDeps;
  readonly #batches: MicroBatcher<Item, undefined>;
  #finishedJournals: JournalKey[] = [];
  #cancelJournalFlush: (() => void) | undefined;

  constructor(deps: ResultRecorderDeps) {
    this.#deps = deps;
    this.#batches = new MicroBatcher({
      flush: (items) => this.#write(items),
      itemsMax: 512,
      lanes: 1,
      spacing: { ms: SPACING_MS, clock: deps.clock },
    });
  }

  /** Resolves once how a message ended is durable, and told. `begunAtMs`: when the attempt began that was answered so (epoch ms). */
  async complete(
    message: QueueKey & { organizationId: string },
    outcome: DispatchOutcome,
    begunAtMs?: number,
  ): Promise<void> {
    const { clock, onSettled } = this.#deps;
    const { organizationId, messageId, numberId, flowId, seq } = message;
    const atMs = clock.now();
    await this.#batches.submit({
      completion: { organizationId, messageId, numberId, flowId, seq, atMs, result: outcome },
    });
    onSettled({ organizationId, messageId, outcome, begunAtMs });
  }

  /** Resolves once the retry or hold is durable. */
  postpone(postponement: Postponement): Promise<undefined> {
    return this.#batches.submit({ postponement });
  }

  /** Has an attempt shown on its message's timeline. Nothing depends on it, so nothing waits for it. */
  note(attempt: AttemptNote): void {
    void this.#batches.submit({ attempt });
  }

  /** Lets a journal row go with the next write; every message of it must have its result submitted, or need none. */
  finishJournal(key: JournalKey): void {
    this.#finishedJournals.push(key);
    this.#cancelJournalFlush ??= this.#deps.clock.schedule(
      JOURNAL_FLUSH_MS,
      () => void this.#batches.submit({ journalsOnly: true }),
    );
  }

  /** Resolves when everything submitted before the call is written, however much keeps coming. */
  async drain(): Promise<void> {
    await this.#batches.submit({ journalsOnly: true });
  }

  async #write(items: Item[]): Promise<undefined[]> {
    const { db, nodeId, clock } = this.#deps;
    const completions = items.flatMap((item) => ('completion' in item ? [item.completion] : [])).sort(byMessage);
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
    }
    const attempts = items.flatMap((item) => ('attempt' in item ? [item.attempt] : []));
    if (attempts.length > 0) {
      await insertAttempts(db, attempts).catch((error) => this.#deps.log.warn({ err: error }, 'attempts not noted'));
    }
    return items.map(() => undefined);
  }

  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return writeUntilDone(this.#deps, 'results', write);
  }
}

// Rows are locked in this order by every statement that writes messages.
function byMessage(a: Completion, b: Completion): number {
  return compare(a.organizationId, b.organizationId) || compare(a.messageId, b.messageId);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
