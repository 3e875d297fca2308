/**
 * Remembers seqs that finished while statements were running. Such a statement may still show them, because its snapshot can be older than
 * the deletion. Memory is bounded by the seqs that finish during the longest statement, so by the owner's statement timeout.
 */
export class FinishedSeqs {
  readonly #seqs = new Set<number>();
  /** Running statements, oldest first, with the position in `#order` at which each began. */
  readonly #statements = new Map<number, number>();
  #order: number[] = [];
  /** Position of the first element of `#order` among all seqs ever added. */
  #orderStart = 0;
  #nextToken = 1;

  get size(): number {
    return this.#seqs.size;
  }

  /** Starts to remember seqs, until `end` is called with the returned token. */
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
