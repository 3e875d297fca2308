/** Random choices that a seed repeats: for what is simulated and tested, never for secrets. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, from `low` to `high` inclusive. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** Throws RangeError when there is nothing to pick from. */
  pick<T>(values: readonly T[]): T;
}

/** Mulberry32: small, fast, and the same everywhere. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new RangeError('nothing to pick from');
      return value;
    },
  };
}
