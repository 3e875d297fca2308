/** The values of a column of each PostgreSQL type, besides NULL. */
interface ElementValues {
  boolean: boolean;
  smallint: number;
  int: number;
  /** A whole number below 2^53, or its digits. */
  bigint: number | string;
  text: string;
  uuid: string;
  timestamptz: Date;
  /** `YYYY-MM-DD` */
  date: string;
  bytea: Buffer;
  /** JSON text. */
  jsonb: string;
  xid: string;
  xid8: string;
}

/** A column of a statement's input: its type, and its value for one row. */
type Column<Row> = {
  [Type in keyof ElementValues]: readonly [type: Type, read: (row: Row) => ElementValues[Type] | null | undefined];
}[keyof ElementValues];

/** The columns of a statement's input by name, in the order of its parameters. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** The input rows of a statement. Each column is named once, with its type, its value and thereby its parameter. */
export interface ArrayTable<Row, Name extends string> {
  /** The names of all columns, separated by commas, for an INSERT that takes the rows unchanged. */
  readonly names: string;
  /** The number of the first parameter after the columns. */
  readonly next: number;
  /** Returns a query that gives the rows. `ordinal` names a further column, which counts from 1. */
  rows(ordinal?: string): string;
  /** Returns an item of a FROM list that gives the rows under the name `alias`. `ordinal` names a further column, which counts from 1. */
  from(alias: string, ordinal?: string): string;
  /** Returns the parameters: an array for each column. */
  values(rows: readonly Row[]): unknown[][];
  /** Reads all parameters of a statement back into rows, for models of it. */
  parse(parameters: readonly unknown[]): Record<Name, unknown>[];
}

/**
 * Describes the input rows of a statement: `arrayTable<Message>()({ id: ['uuid', (message) => message.id], … })`. Their parameters begin
 * with the one numbered `first`.
 *
 * `rows` and `from` give the same rows. `unnest` of several arrays in FROM copies each array into its own store before the first row is
 * available, which doubles the time of statements with many columns and few rows. `rows` avoids that; `from` can be joined directly.
 */
export function arrayTable<Row>(first = 1) {
  return <Name extends string>(columns: Readonly<Record<Name, Column<Row>>>): ArrayTable<Row, Name> => {
    const named = Object.entries<Column<Row>>(columns).map(([name, [type, read]], index) => ({
      name: name as Name,
      array: `$${first + index}::${type}[]`,
      read: read as (row: Row) => unknown,
    }));
    const names = named.map(({ name }) => name).join(', ');
    const arrays = named.map(({ array }) => array).join(', ');
    const selected = `SELECT ${named.map(({ name, array }) => `unnest(${array}) AS ${name}`).join(', ')}`;
    return {
      names,
      next: first + named.length,
      rows: (ordinal) =>
        ordinal === undefined ? selected : `${selected}, generate_subscripts(${named[0]?.array}, 1) AS ${ordinal}`,
      from: (alias, ordinal) =>
        ordinal === undefined
          ? `unnest(${arrays}) AS ${alias} (${names})`
          : `unnest(${arrays}) WITH ORDINALITY AS ${alias} (${names}, ${ordinal})`,
      values: (rows) => named.map(({ read }) => rows.map(read)),
      parse(parameters) {
        const given = named.map(({ name }, index) => [name, parameters[first - 1 + index] as unknown[]] as const);
        return (given[0]?.[1] ?? []).map(
          (_, row) =>
            Object.fromEntries(given.map(([name, values]) => [name, values[row] ?? null])) as Record<Name, unknown>,
        );
      },
    };
  };
}
