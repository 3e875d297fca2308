import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';

/** Columns with a meaning of their own. Every other column is a parameter of a template. */
const FIELDS = ['to', 'recipient', 'from', 'template', 'language', 'text', 'callback_data', 'key'] as const;

type Field = (typeof FIELDS)[number];

/** The columns of a file: name of a field or of a parameter, in the order of the file. */
export type Columns = readonly string[];

/** The cells of a row by meaning, without empty ones. */
export interface RowFields extends Partial<Record<Field, string>> {
  /** Values by the name of their parameter, such as `1`, `name`, `header`, `header.1` or `button.0`. */
  parameters: ReadonlyMap<string, string>;
}

/** Reads the header. Throws a usage error that names every wrong column. */
export function readHeader(cells: readonly string[]): Columns {
  const columns = cells.map((cell) => cell.trim());
  const problems: string[] = [];
  for (const [at, name] of columns.entries()) {
    if (name === '') problems.push(`column ${at + 1} has no name`);
    else if (columns.indexOf(name) < at) problems.push(`the column "${name}" is there twice`);
  }
  if (!columns.includes('to') && !columns.includes('recipient'))
    problems.push('a column "to" (number) or "recipient" (user id) is missing');
  if (!columns.includes('text') && !columns.includes('template'))
    problems.push('a column "text" or "template" is missing');
  if (!columns.includes('template'))
    for (const name of columns)
      if (name !== '' && !isField(name))
        problems.push(`the column "${name}" is unknown, and without "template" there are no parameters`);
  if (problems.length > 0)
    throw new CliError(EXIT.usage, `The header is wrong: ${problems.join('; ')}.`, { facts: { problems } });
  return columns;
}

/** Returns the cells of a row by meaning. Spaces around a value are removed, except in texts and parameters. */
export function readFields(columns: Columns, cells: readonly string[]): RowFields {
  const parameters = new Map<string, string>();
  const fields: RowFields = { parameters };
  for (const [at, name] of columns.entries()) {
    const cell = cells[at] ?? '';
    if (cell.trim() === '') continue;
    if (isField(name)) fields[name] = name === 'text' ? cell : cell.trim();
    else parameters.set(name, cell);
  }
  return fields;
}

function isField(name: string): name is Field {
  return (FIELDS as readonly string[]).includes(name);
}
