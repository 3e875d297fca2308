/** The first row of a statement that always answers one. */
export function firstRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that always answers a row has answered none');
  return row;
}
