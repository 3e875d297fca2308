/** The first row of a statement that always returns at least one. */
export function firstRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that always returns a row has returned none');
  return row;
}
