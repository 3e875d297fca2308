import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Leases, shardOf } from '../../leases/index.ts';
import type { PlatformClock } from '../../upstream/index.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { Sender } from './sender.ts';
import { RETRY_MS, type Settler } from './settle.ts';

export interface JournalDeps {
  clock: Clock;
  platformClock: PlatformClock;
  leases: Pick<Leases, 'epochOf'>;
  inFlight: InFlight;
  recorder: Pick<ResultRecorder, 'hasEnded'>;
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

  /** Resolves once the batch is journaled and its messages are in flight or put back. Never rejects. */
  async dispatch(batch: Dispatch[]): Promise<void> {
    const { clock, inFlight, platformClock, sender, settler, writer } = this.#deps;
    const { held, epochs } = this.#listHeld(batch);
    if (held.length === 0) return;
    const atMs = platformClock.now();
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

  /**
   * Returns the messages whose shards this process leases, and the leases' epochs. Turns the other messages back. Leaves out messages whose
   * recorded end a failover has lost: `recordAgain` of the recorder takes them out of the queue.
   */
  #listHeld(batch: readonly Dispatch[]): { held: Dispatch[]; epochs: Map<number, number> } {
    const { inFlight, leases, recorder, settler } = this.#deps;
    const held: Dispatch[] = [];
    const epochs = new Map<number, number>();
    for (const dispatch of batch) {
      const shard = shardOf(dispatch.numberId);
      const epoch = leases.epochOf(shard);
      if (epoch === undefined) settler.turnBack(dispatch, { kind: 'unsent' });
      else if (recorder.hasEnded(dispatch.messageId)) settler.turnBack(dispatch, { kind: 'done' });
      else if (inFlight.has(dispatch.seq)) {
        // An earlier attempt is still in flight, from before its number was closed and reopened. Without this, its end would be mistaken
        // for the end of the new one.
        settler.turnBack(dispatch, settler.retryIn(RETRY_MS, dispatch.attempt));
      } else {
        held.push(dispatch);
        epochs.set(shard, epoch);
      }
    }
    return { held, epochs };
  }
}
