/**
 * The condition that `row` has the key of `other` in these columns, the first ones of an index and in its order; for joins of a batch to a
 * table that rows enter and leave all the time.
 *
 * It says two bounds where equality would do. To the planner such a table is empty, as it mostly is when it is vacuumed, and to walk its
 * index from end to end is as good as to look a key up; until the next vacuum that walk leads past everything that has left. Bounds leave
 * it nothing but to look the keys up, one after the other, in the order in which the batch has them (docs/decisions/0021).
 */
export function sameKey(row: string, other: string, columns: readonly string[]): string {
  const of = (name: string) => `(${columns.map((column) => `${name}.${column}`).join(', ')})`;
  return `${of(row)} >= ${of(other)} AND ${of(row)} <= ${of(other)}`;
}
