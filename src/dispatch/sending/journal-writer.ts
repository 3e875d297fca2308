import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import { UNWRITTEN_DEBT_MS_MAX } from '../queue/pair-debt-queries.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { Bodies } from './bodies.ts';
import { type Journaled, journalDispatch } from './journal-queries.ts';

export interface JournalWriterDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  nodeId: string;
  bodies: Pick<Bodies, 'has' | 'takesLarge'>;
  book: Pick<NumberBook, 'refresh'>;
}

/** Writes the journal rows of batches. */
export class JournalWriter {
  readonly #deps: JournalWriterDeps;

  constructor(deps: JournalWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Journals messages that are about to be sent, under the lease epochs at which they were taken, dated `platformNowMs` by the platform's
   * clock. Returns the messages that are still queued. Returns undefined if no message may be sent, because a lease is lost or the
   * journal's commit is in doubt. Never rejects.
   */
  async write(
    batch: number,
    dispatches: readonly Dispatch[],
    epochs: ReadonlyMap<number, number>,
    platformNowMs: number,
  ): Promise<Map<string, Journaled> | undefined> {
    const { db, clock, log, nodeId, bodies } = this.#deps;
    const nowMs = clock.monotonicMs();
    const offsetMs = clock.now() - nowMs;
    const entries = dispatches.map((dispatch) => ({
      ...dispatch,
      shard: shardOf(dispatch.numberId),
      needsBody: !bodies.has(dispatch.messageId),
      takesLarge: bodies.takesLarge(dispatch.organizationId),
      pairFreeAtMs: dispatch.pairFreeAtMs - nowMs > UNWRITTEN_DEBT_MS_MAX ? dispatch.pairFreeAtMs + offsetMs : null,
    }));
    try {
      const named = { owner: nodeId, batch, epochs };
      const journaled = await journalDispatch(db, named, entries, clock.now(), platformNowMs);
      if (journaled === undefined)
        log.warn({ shards: epochs.size }, 'journal refused because another node owns a shard; nothing is sent');
      else this.#learnOfPauses(dispatches, journaled);
      return journaled;
    } catch (error) {
      log.error({ err: error }, 'journal not written; nothing is sent');
      return undefined;
    }
  }

  /**
   * Refreshes numbers that the journal found paused, so that the scheduler stops releasing their messages: the change feed may report the
   * pause late.
   */
  #learnOfPauses(dispatches: readonly Dispatch[], journaled: ReadonlyMap<string, Journaled>): void {
    const { book, log } = this.#deps;
    const paused = new Set(
      dispatches.filter(({ messageId }) => journaled.get(messageId)?.paused).map(({ numberId }) => numberId),
    );
    if (paused.size === 0) return;
    book
      .refresh(({ numberId }) => paused.has(numberId))
      .catch((error) => log.warn({ err: error }, 'paused numbers not read; each of their messages is checked again'));
  }
}
