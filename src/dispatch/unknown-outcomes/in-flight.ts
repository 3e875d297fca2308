import { shardOf } from '../../leases/index.ts';
import type { JournalKey } from '../outcomes/result-queries.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { OwnJournals } from './unknown-outcome-queries.ts';

/** A journal row, its date, and the number of its messages that are still in flight. */
interface OpenJournal extends JournalKey {
  readonly atMs: number;
  left: number;
}

/** An attempt of this process, in the platform's time. */
export interface OwnAttempt {
  /** Date of its journal row. */
  journaledAtMs: number;
  /** Start of the previous attempt if its outcome is unknown, else null. */
  formerAtMs: number | null;
}

/** The messages in flight, with the shard and the journal row of each. */
export class InFlight {
  readonly #journalOf = new Map<number, OpenJournal>();
  /** Start of the previous attempt, for the few messages whose previous attempt has an unknown outcome. */
  readonly #formerAtMs = new Map<number, number>();
  readonly #perShard = new Map<number, number>();
  #batchCount = 0;
  #waiters: { shards: ReadonlySet<number>; resolve: () => void }[] = [];

  get size(): number {
    return this.#journalOf.size;
  }

  has(seq: number): boolean {
    return this.#journalOf.has(seq);
  }

  /** Returns the number of batches that this process has journaled or is about to, and their messages that are still in flight. */
  journals(): OwnJournals {
    return { batches: this.#batchCount, inFlight: [...this.#journalOf.keys()] };
  }

  /** Returns the current attempt at a message; undefined if the message is not in flight. */
  attemptAt(seq: number): OwnAttempt | undefined {
    const journal = this.#journalOf.get(seq);
    return journal && { journaledAtMs: journal.atMs, formerAtMs: this.#formerAtMs.get(seq) ?? null };
  }

  /** Records that a message in flight has a previous attempt with an unknown outcome. */
  noteFormer(seq: number, atMs: number): void {
    this.#formerAtMs.set(seq, atMs);
  }

  /** Adds messages that are journaled together at `atMs`, with one row per shard. Returns the number of their batch. */
  begin(dispatches: readonly Dispatch[], atMs: number): number {
    this.#batchCount += 1;
    const batch = this.#batchCount;
    for (const [shard, messages] of Map.groupBy(dispatches, ({ numberId }) => shardOf(numberId))) {
      const journal = { shard, batch, atMs, left: messages.length };
      for (const { seq } of messages) this.#journalOf.set(seq, journal);
      this.#perShard.set(shard, (this.#perShard.get(shard) ?? 0) + messages.length);
    }
    return batch;
  }

  /** Removes a message. Returns its journal row if this was the row's last message. */
  remove(seq: number): JournalKey | undefined {
    const journal = this.#journalOf.get(seq);
    if (journal === undefined) return undefined;
    this.#journalOf.delete(seq);
    this.#formerAtMs.delete(seq);
    journal.left -= 1;
    const leftOfShard = (this.#perShard.get(journal.shard) ?? 1) - 1;
    if (leftOfShard > 0) this.#perShard.set(journal.shard, leftOfShard);
    else this.#perShard.delete(journal.shard);
    this.#resolveWaiters();
    return journal.left > 0 ? undefined : journal;
  }

  isBusy(shard: number): boolean {
    return this.#perShard.has(shard);
  }

  /** Resolves when no message of these shards is in flight. */
  emptied(shards: ReadonlySet<number>): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ shards, resolve });
      this.#resolveWaiters();
    });
  }

  #resolveWaiters(): void {
    if (this.#waiters.length === 0) return;
    this.#waiters = this.#waiters.filter(({ shards, resolve }) => {
      const busy = [...shards].some((shard) => this.#perShard.has(shard));
      if (!busy) resolve();
      return busy;
    });
  }
}
