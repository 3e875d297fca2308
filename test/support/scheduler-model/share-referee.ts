import assert from 'node:assert/strict';

interface Spread {
  low: number;
  high: number;
}

/**
 * Asserts the bound of start-time fair queueing: over every interval in which i and j are both active,
 * |x_i/w_i - x_j/w_j| <= 1/w_i + 1/w_j. The difference over an interval is that of two moments, so it is enough that the
 * spread of the running difference since both became active stays within the bound.
 */
export class ShareReferee {
  readonly #weights: readonly number[];
  readonly #turns: number[];
  readonly #spreads = new Map<string, Spread>();

  constructor(weights: readonly number[]) {
    this.#weights = weights;
    this.#turns = weights.map(() => 0);
  }

  /** Sets the members that are active from now on. */
  see(active: readonly boolean[]): void {
    this.#eachPair((i, j, key) => {
      if (!active[i] || !active[j]) this.#spreads.delete(key);
      else if (!this.#spreads.has(key)) {
        const difference = this.#share(i) - this.#share(j);
        this.#spreads.set(key, { low: difference, high: difference });
      }
    });
  }

  serve(index: number): void {
    this.#turns[index] = (this.#turns[index] ?? 0) + 1;
    this.#eachPair((i, j, key) => {
      const spread = this.#spreads.get(key);
      if (spread === undefined || (i !== index && j !== index)) return;
      const difference = this.#share(i) - this.#share(j);
      spread.low = Math.min(spread.low, difference);
      spread.high = Math.max(spread.high, difference);
      const bound = 1 / this.#weight(i) + 1 / this.#weight(j);
      // The tolerance covers rounding of sums of 1/weight.
      assert.ok(
        spread.high - spread.low <= bound + 1e-9,
        `members ${key} apart by ${spread.high - spread.low} > ${bound}`,
      );
    });
  }

  #weight(index: number): number {
    return this.#weights[index] ?? Number.NaN;
  }

  #share(index: number): number {
    return (this.#turns[index] ?? 0) / this.#weight(index);
  }

  #eachPair(visit: (i: number, j: number, key: string) => void): void {
    for (let i = 0; i < this.#weights.length; i += 1) {
      for (let j = i + 1; j < this.#weights.length; j += 1) visit(i, j, `${i}/${j}`);
    }
  }
}
