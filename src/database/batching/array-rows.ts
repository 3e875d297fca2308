/**
 * Returns a query that turns arrays of equal length into rows. `columns` are names and element types (`id uuid, at timestamptz`), and
 * the parameters from `first` on are their arrays, in the same order. A column named `ordinal` counts the rows from 1.
 *
 * Equivalent to `unnest` of several arrays in FROM. That form copies each array into its own store before the first row is available,
 * which doubles the time of statements with many columns and few rows.
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
