/** Random choices that a seed repeats. */
export interface SeededRandom {
  /** 0 ≤ r < 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(least: number, most: number): number;
  /** Throws RangeError when there is nothing to pick from. */
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
}

/** Mulberry32: small, fast, and the same everywhere. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
