/** Returns the results of `work` in the order of `items`. At most `atOnceMax` items are worked on at the same time. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const takeTurns = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnceMax }, takeTurns));
  return results;
}
