import { shardOf } from '../../leases/index.ts';
import type { JournalKey } from '../outcomes/result-queries.ts';
import type { Dispatch } from '../scheduler/index.ts';

/** A journal row, how it is dated, and how many of its messages are still on their way. */
interface OpenJournal extends JournalKey {
  readonly atMs: number;
  left: number;
}

/** An attempt of this process, by the platform's clock. */
export interface OwnAttempt {
  /** How its journal is dated. */
  journaledAtMs: number;
  /** When the attempt before it began, if that is of unknown outcome. */
  formerAtMs: number | null;
}

/** What is on its way: which messages, of which shard, under which journal row. */
export class InFlight {
  readonly #journalOf = new Map<number, OpenJournal>();
  /** Of the few that were attempted before, with unknown outcome, when that was. */
  readonly #formerAtMs = new Map<number, number>();
  readonly #perShard = new Map<number, number>();
  #waiters: { shards: ReadonlySet<number>; resolve: () => void }[] = [];

  get size(): number {
    return this.#journalOf.size;
  }

  has(seq: number): boolean {
    return this.#journalOf.has(seq);
  }

  seqs(): number[] {
    return [...this.#journalOf.keys()];
  }

  /** The attempt at a message; undefined for one that is not on its way. */
  attemptAt(seq: number): OwnAttempt | undefined {
    const journal = this.#journalOf.get(seq);
    return journal && { journaledAtMs: journal.atMs, formerAtMs: this.#formerAtMs.get(seq) ?? null };
  }

  /** A message on its way was attempted before, with unknown outcome. */
  noteFormer(seq: number, atMs: number): void {
    this.#formerAtMs.set(seq, atMs);
  }

  /** Takes in what is journaled together, dated `atMs`, by a row for each shard. */
  add(batch: number, dispatches: readonly Dispatch[], atMs: number): void {
    for (const [shard, messages] of Map.groupBy(dispatches, ({ numberId }) => shardOf(numberId))) {
      const journal = { shard, batch, atMs, left: messages.length };
      for (const { seq } of messages) this.#journalOf.set(seq, journal);
      this.#perShard.set(shard, (this.#perShard.get(shard) ?? 0) + messages.length);
    }
  }

  /** Takes a message out; answers its journal row if this was the row's last. */
  remove(seq: number): JournalKey | undefined {
    const journal = this.#journalOf.get(seq);
    if (journal === undefined) return undefined;
    this.#journalOf.delete(seq);
    this.#formerAtMs.delete(seq);
    journal.left -= 1;
    const leftOfShard = (this.#perShard.get(journal.shard) ?? 1) - 1;
    if (leftOfShard > 0) this.#perShard.set(journal.shard, leftOfShard);
    else this.#perShard.delete(journal.shard);
    this.#tell();
    return journal.left > 0 ? undefined : journal;
  }

  isBusy(shard: number): boolean {
    return this.#perShard.has(shard);
  }

  /** Resolves when nothing of these shards is on its way. */
  emptied(shards: ReadonlySet<number>): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ shards, resolve });
      this.#tell();
    });
  }

  #tell(): void {
    if (this.#waiters.length === 0) return;
    this.#waiters = this.#waiters.filter(({ shards, resolve }) => {
      const busy = [...shards].some((shard) => this.#perShard.has(shard));
      if (!busy) resolve();
      return busy;
    });
  }
}
