import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Leases, shardOf } from '../../leases/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { AcceptedJournal } from './acceptance-journal-queries.ts';
import type { Journaled } from './journal-queries.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { Sender } from './sender.ts';
import { RETRY_MS, type Settler } from './settle.ts';

export interface JournalDeps {
  clock: Clock;
  upstream: Pick<Upstream, 'platformClock'>;
  leases: Pick<Leases, 'epochOf'>;
  inFlight: InFlight;
  recorder: Pick<ResultRecorder, 'finishJournal' | 'hasEnded'>;
  writer: Pick<JournalWriter, 'write'>;
  sender: Pick<Sender, 'send'>;
  settler: Pick<Settler, 'end' | 'retryIn' | 'turnBack'>;
}

/**
 * Starts attempts at the messages that the scheduler released, after their journal rows are written. A message is in one of these states:
 * - journaling: not sent, and not sent later unless the journal's commit is certain
 * - sending (`sender.ts`)
 * - recording: the result is known here and is being written (`settle.ts`)
 * - settled: only now may its recipient's next message go
 */
export class Journal {
  readonly #deps: JournalDeps;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once the batch is journaled and its messages are in flight or put back. Messages that their acceptance has journaled go at
   * once. Never rejects.
   */
  async dispatch(batch: Dispatch[], accepted: readonly AcceptedJournal[] = []): Promise<void> {
    const { clock, inFlight, sender, settler, upstream, writer } = this.#deps;
    const ours = this.#listHeld(batch);
    const started = new Set(accepted.flatMap((journal) => this.#start(ours, journal)));
    const held = ours.filter((dispatch) => !started.has(dispatch));
    if (held.length === 0) return;
    const epochs = new Map(held.map(({ numberId }) => [shardOf(numberId), this.#epochOf(numberId)]));
    const atMs = upstream.platformClock.now();
    const batchNumber = inFlight.begin(held, atMs);
    // Measured from before the journal's commit, so that a process suspended while it waited for the commit notices.
    const journaledAtMs = clock.monotonicMs();
    const journaled = await writer.write(batchNumber, held, epochs, atMs);
    if (journaled === undefined) {
      for (const dispatch of held) settler.end(dispatch, { kind: 'unsent' });
      await pause(clock, RETRY_MS);
      return;
    }
    for (const dispatch of held) {
      const entry = journaled.get(dispatch.messageId);
      if (entry?.attemptedAtMs != null) inFlight.noteFormer(dispatch.seq, entry.attemptedAtMs);
      // Already settled by another process.
      if (entry === undefined) settler.end(dispatch, { kind: 'done' });
      else if (entry.paused) settler.end(dispatch, settler.retryIn(RETRY_MS, entry.attempt));
      else {
        const epoch = epochs.get(shardOf(dispatch.numberId)) ?? 0;
        void sender.send(dispatch, entry, { epoch, journaledAtMs });
      }
    }
  }

  /** Starts the messages of an accepted journal that are released to be sent. Clears its rows without such a message. Returns them. */
  #start(released: readonly Dispatch[], journal: AcceptedJournal): Dispatch[] {
    const { inFlight, recorder, sender } = this.#deps;
    const { atMs, batch, entries, epochs, journaledAtMs } = journal;
    const going = released.filter(
      ({ messageId, numberId }) => entries.has(messageId) && epochs.get(shardOf(numberId)) === this.#epochOf(numberId),
    );
    const started = inFlight.redeem(batch, going, atMs) ? going : [];
    const busy = new Set(started.map(({ numberId }) => shardOf(numberId)));
    for (const shard of epochs.keys()) if (!busy.has(shard)) recorder.finishJournal({ shard, batch });
    for (const dispatch of started) {
      const epoch = this.#epochOf(dispatch.numberId);
      void sender.send(dispatch, entries.get(dispatch.messageId) as Journaled, { epoch, journaledAtMs });
    }
    return started;
  }

  /** Clears a journal none of whose messages goes. */
  drop(journal: AcceptedJournal): void {
    this.#start([], journal);
  }

  /** Returns the epoch of a number's shard, which this process leases. */
  #epochOf(numberId: number): number {
    return this.#deps.leases.epochOf(shardOf(numberId)) ?? 0;
  }

  /**
   * Returns the messages whose shards this process leases. Turns the other messages back. Leaves out messages whose recorded end a failover
   * has lost: `recordAgain` of the recorder takes them out of the queue.
   */
  #listHeld(batch: readonly Dispatch[]): Dispatch[] {
    const { inFlight, leases, recorder, settler } = this.#deps;
    const held: Dispatch[] = [];
    for (const dispatch of batch) {
      if (leases.epochOf(shardOf(dispatch.numberId)) === undefined) settler.turnBack(dispatch, { kind: 'unsent' });
      else if (recorder.hasEnded(dispatch.messageId)) settler.turnBack(dispatch, { kind: 'done' });
      else if (inFlight.has(dispatch.seq)) {
        // An earlier attempt is still in flight, from before its number was closed and reopened. Without this, its end would be mistaken
        // for the end of the new one.
        settler.turnBack(dispatch, settler.retryIn(RETRY_MS, dispatch.attempt));
      } else held.push(dispatch);
    }
    return held;
  }
}
