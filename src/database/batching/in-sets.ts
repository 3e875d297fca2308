/** Batch size that one statement finishes well within its time limit. The platform's own batches are far smaller. */
const STATEMENT_ITEMS_MAX = 5_000;

/** Splits items, in order, into batches of at most `itemsMax`, by default as many as one statement handles. No items → no batches. */
export function inSets<Item>(items: readonly Item[], itemsMax = STATEMENT_ITEMS_MAX): Item[][] {
  const sets: Item[][] = [];
  for (let from = 0; from < items.length; from += itemsMax) sets.push(items.slice(from, from + itemsMax));
  return sets;
}
