/**
 * Returns the condition that `row` and `other` agree in these columns, which are the first ones of an index, in its order. For joins of
 * a batch to a table with a high turnover of rows.
 *
 * Writes two bounds instead of an equality. Such a table is mostly empty when it is vacuumed, so the planner considers it empty. A walk
 * through its whole index then seems as cheap as a look-up, but until the next vacuum it passes all dead rows. With bounds, the only
 * plan left looks the keys up, one after the other, in the order of the batch (docs/decisions/0021).
 */
export function sameKey(row: string, other: string, columns: readonly string[]): string {
  const of = (name: string) => `(${columns.map((column) => `${name}.${column}`).join(', ')})`;
  return `${of(row)} >= ${of(other)} AND ${of(row)} <= ${of(other)}`;
}
