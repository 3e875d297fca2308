import { arrayRows } from './array-rows.ts';

/** A column of a statement's input: the element type PostgreSQL gives it, and its value for one row. */
type Column<Row> = readonly [type: string, read: (row: Row) => unknown];

/** The input rows of a statement, with the type, the order and the value of each column in one place. */
export interface ArrayTable<Row, Name extends string> {
  /** A query that gives the rows. Its parameters are `values`, from the one numbered `first` on; `ordinal` names a column that counts from 1. */
  rows(first?: number, ordinal?: string): string;
  /** The parameters of `rows`: an array for each column. */
  values(rows: readonly Row[]): unknown[][];
  /** Reads parameters back into rows by column name, for models of a statement. `first` is the number of the first parameter. */
  parse(parameters: readonly unknown[], first?: number): Record<Name, unknown>[];
}

/** Describes the input rows of a statement by column name: `{ id: ['uuid', (message) => message.id], … }`. */
export function arrayTable<Row>() {
  return <Name extends string>(columns: Record<Name, Column<Row>>): ArrayTable<Row, Name> => {
    const named = Object.entries(columns) as [Name, Column<Row>][];
    const declared = named.map(([name, [type]]) => `${name} ${type}`).join(', ');
    return {
      rows: (first = 1, ordinal) => arrayRows(declared, first, ordinal),
      values: (rows) => named.map(([, [, read]]) => rows.map(read)),
      parse(parameters, first = 1) {
        const arrays = named.map(([name], index) => [name, parameters[first - 1 + index] as unknown[]] as const);
        return (arrays[0]?.[1] ?? []).map(
          (_, row) => Object.fromEntries(arrays.map(([name, values]) => [name, values[row]])) as Record<Name, unknown>,
        );
      },
    };
  };
}
