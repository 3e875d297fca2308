/**
 * A query of the rows that arrays of the same length make: `columns` are names and element types (`id uuid, at timestamptz`), and the
 * parameters from `first` on are their arrays, in the same order.
 *
 * The same as `unnest` of several arrays in FROM, which puts the elements of each array into a store of its own before the first row is
 * there: for statements of many columns and few rows that takes as long as everything else they do.
 */
export function arrayRows(columns: string, first = 1): string {
  const selected = columns.split(',').map((column, index) => {
    const [name, type] = column.trim().split(/\s+/);
    return `unnest($${first + index}::${type}[]) AS ${name}`;
  });
  return `SELECT ${selected.join(', ')}`;
}
