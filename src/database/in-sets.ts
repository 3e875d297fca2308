/** What one statement gets done well within its time. The upstream's own batches are far smaller. */
const STATEMENT_ITEMS_MAX = 5_000;

/** Items in their order, in as many sets as there have to be statements for them; none for no items. */
export function inSets<Item>(items: readonly Item[]): Item[][] {
  const sets: Item[][] = [];
  for (let from = 0; from < items.length; from += STATEMENT_ITEMS_MAX) {
    sets.push(items.slice(from, from + STATEMENT_ITEMS_MAX));
  }
  return sets;
}
