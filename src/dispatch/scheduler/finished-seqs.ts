/**
 * Remembers what finished while statements were running, because such a statement may still show it: its snapshot can be older
 * than the deletion. Memory is bounded by what finishes during the longest statement, that is by the owner's statement timeout.
 */
export class FinishedSeqs {
  readonly #seqs = new Set<number>();
  /** Running statements, oldest first, with the position in `#order` at which each began. */
  readonly #statements = new Map<number, number>();
  #order: number[] = [];
  /** Position of the first element of `#order` among all ever added. */
  #orderStart = 0;
  #nextToken = 1;

  get size(): number {
    return this.#seqs.size;
  }

  /** Remembers from now on, until `end` of the token answered. */
  begin(): number {
    const token = this.#nextToken++;
    this.#statements.set(token, this.#orderStart + this.#order.length);
    return token;
  }

  end(token: number): void {
    this.#statements.delete(token);
    const [oldest = this.#orderStart + this.#order.length] = this.#statements.values();
    const forgotten = oldest - this.#orderStart;
    // Cutting the array only when half of it is dead keeps the cost per seq constant.
    if (forgotten * 2 < this.#order.length) return;
    for (const seq of this.#order.slice(0, forgotten)) this.#seqs.delete(seq);
    this.#order = this.#order.slice(forgotten);
    this.#orderStart = oldest;
  }

  add(seq: number): void {
    if (this.#statements.size === 0 || this.#seqs.has(seq)) return;
    this.#seqs.add(seq);
    this.#order.push(seq);
  }

  has(seq: number): boolean {
    return this.#seqs.has(seq);
  }
}
