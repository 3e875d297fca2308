/**
 * A query of the rows that arrays of the same length make: `columns` are names and element types (`id uuid, at timestamptz`), and the
 * parameters from `first` on are their arrays, in the same order. A column named `ordinal` counts the rows, from 1 on.
 *
 * The same as `unnest` of several arrays in FROM, which puts the elements of each array into a store of its own before the first row is
 * there: for statements of many columns and few rows that takes as long as everything else they do.
 */
export function arrayRows(columns: string, first = 1, ordinal?: string): string {
  const arrays = columns.split(',').map((column, index) => {
    const [name, type] = column.trim().split(/\s+/);
    return { name, array: `$${first + index}::${type}[]` };
  });
  const selected = arrays.map(({ name, array }) => `unnest(${array}) AS ${name}`);
  if (ordinal !== undefined) selected.push(`generate_subscripts(${arrays[0]?.array}, 1) AS ${ordinal}`);
  return `SELECT ${selected.join(', ')}`;
}
