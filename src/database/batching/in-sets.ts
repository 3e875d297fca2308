/** What one statement gets done well within its time. The upstream's own batches are far smaller. */
const STATEMENT_ITEMS_MAX = 5_000;

/** Items in their order, in sets of at most so many: as many sets as there have to be statements for them, unless told. None for no items. */
export function inSets<Item>(items: readonly Item[], itemsMax = STATEMENT_ITEMS_MAX): Item[][] {
  const sets: Item[][] = [];
  for (let from = 0; from < items.length; from += itemsMax) sets.push(items.slice(from, from + itemsMax));
  return sets;
}
