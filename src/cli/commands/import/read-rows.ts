import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';

/** Longest row, in characters. Without it, an unclosed quotation mark would load the whole file. */
const ROW_CHARS_MAX = 1_000_000;

/** One row of a CSV file. */
export interface CsvRow {
  /** Number of the row as a spreadsheet shows it: the header is row 1. */
  number: number;
  cells: readonly string[];
}

/** Yields the rows of a CSV file in UTF-8, the header first, without empty rows. Holds a few rows at a time. */
export async function* readRows(path: string, delimiter: string): AsyncGenerator<CsvRow> {
  const { parse } = await import('csv-parse');
  const file = createReadStream(path);
  const parser = parse({ bom: true, delimiter, relax_column_count: true, max_record_size: ROW_CHARS_MAX });
  file.once('error', (error) => parser.destroy(unreadable(path, error)));
  let number = 0;
  try {
    for await (const cells of file.pipe(parser) as AsyncIterable<string[]>) {
      number += 1;
      if (cells.some((cell) => cell !== '')) yield { number, cells };
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.usage, `${path} is not CSV after row ${number}: ${(error as Error).message}`);
  } finally {
    file.destroy();
    parser.destroy();
  }
}

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    throw unreadable(path, error);
  }
  return hash.digest('hex');
}

function unreadable(path: string, cause: unknown): CliError {
  return new CliError(EXIT.usage, `The file ${path} cannot be read.`, { cause });
}
