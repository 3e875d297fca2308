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
  /** Batches whose messages get their seqs as they are journaled, with the shards. */
  readonly #promised = new Map<number, readonly number[]>();
  #batchCount = 0;
  #waiters: { shards: ReadonlySet<number>; resolve: () => void }[] = [];

  get size(): number {
    return this.#journalOf.size;
  }

  has(seq: number): boolean {
    return this.#journalOf.has(seq);
  }

  /**
   * Returns the number of batches that this process has journaled or is about to, and their messages that are still in flight. A takeover
   * clears the rows of the other messages, so promises made before are void.
   */
  journals(): OwnJournals {
    for (const [batch, shards] of this.#promised) {
      this.#promised.delete(batch);
      for (const shard of shards) this.#leave(shard);
    }
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
    this.#add(this.#batchCount, dispatches, atMs);
    return this.#batchCount;
  }

  /** Announces a batch whose messages have no seqs yet. Its shards are busy until `redeem`. Returns the number of the batch. */
  promise(shards: readonly number[]): number {
    this.#batchCount += 1;
    this.#promised.set(this.#batchCount, shards);
    for (const shard of shards) this.#enter(shard, 1);
    return this.#batchCount;
  }

  /** Ends a promise: adds those of its messages that go. Returns false, and adds none, if the promise is void. */
  redeem(batch: number, dispatches: readonly Dispatch[], atMs: number): boolean {
    const shards = this.#promised.get(batch);
    if (shards === undefined) return false;
    this.#promised.delete(batch);
    this.#add(batch, dispatches, atMs);
    for (const shard of shards) this.#leave(shard);
    return true;
  }

  #add(batch: number, dispatches: readonly Dispatch[], atMs: number): void {
    for (const [shard, messages] of Map.groupBy(dispatches, ({ numberId }) => shardOf(numberId))) {
      const journal = { shard, batch, atMs, left: messages.length };
      for (const { seq } of messages) this.#journalOf.set(seq, journal);
      this.#enter(shard, messages.length);
    }
  }

  /** Removes a message. Returns its journal row if this was the row's last message. */
  remove(seq: number): JournalKey | undefined {
    const journal = this.#journalOf.get(seq);
    if (journal === undefined) return undefined;
    this.#journalOf.delete(seq);
    this.#formerAtMs.delete(seq);
    journal.left -= 1;
    this.#leave(journal.shard);
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

  #enter(shard: number, count: number): void {
    this.#perShard.set(shard, (this.#perShard.get(shard) ?? 0) + count);
  }

  #leave(shard: number): void {
    const left = (this.#perShard.get(shard) ?? 1) - 1;
    if (left > 0) this.#perShard.set(shard, left);
    else this.#perShard.delete(shard);
    this.#resolveWaiters();
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
