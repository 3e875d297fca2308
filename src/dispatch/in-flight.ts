import type { JournalKey } from './result-queries.ts';

/** What is on its way: which messages, of which shard, under which journal row. */
export class InFlight {
  readonly #entries = new Map<number, JournalKey>();
  readonly #perJournal = new Map<string, number>();
  readonly #perShard = new Map<number, number>();
  #waiters: { shards: ReadonlySet<number>; resolve: () => void }[] = [];

  get size(): number {
    return this.#entries.size;
  }

  has(seq: number): boolean {
    return this.#entries.has(seq);
  }

  add(seq: number, shard: number, batch: number): void {
    this.#entries.set(seq, { shard, batch });
    const journal = `${shard}:${batch}`;
    this.#perJournal.set(journal, (this.#perJournal.get(journal) ?? 0) + 1);
    this.#perShard.set(shard, (this.#perShard.get(shard) ?? 0) + 1);
  }

  /** Takes a message out; answers its journal row if this was the row's last. */
  remove(seq: number): JournalKey | undefined {
    const key = this.#entries.get(seq);
    if (key === undefined) return undefined;
    this.#entries.delete(seq);
    const journal = `${key.shard}:${key.batch}`;
    const left = (this.#perJournal.get(journal) ?? 1) - 1;
    if (left > 0) this.#perJournal.set(journal, left);
    else this.#perJournal.delete(journal);
    const leftOfShard = (this.#perShard.get(key.shard) ?? 1) - 1;
    if (leftOfShard > 0) this.#perShard.set(key.shard, leftOfShard);
    else this.#perShard.delete(key.shard);
    this.#tell();
    return left > 0 ? undefined : key;
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
