import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { safeText } from '../../terminal/safe-text.ts';
import { readRows } from './read-rows.ts';

const HEADER = 'row,id,status,error,key';
const NEWLINE = 0x0a;

/** Outcome of one row. */
export interface RowResult {
  row: number;
  /** ID of the message; empty if there is none. */
  id: string;
  status: string;
  error: string;
  /** Idempotency key of the send; empty for an invalid row. */
  key: string;
}

/**
 * The result file of an import. A line is appended for every answer, and a later run reads the lines again. A line that a killed run has left
 * incomplete is cut off: its row is sent again with the same key.
 */
export class Results {
  readonly #file: FileHandle;
  readonly #accepted: AcceptedRows;
  #waiting = '';
  #writing: Promise<void> | undefined;

  private constructor(file: FileHandle, accepted: AcceptedRows) {
    this.#file = file;
    this.#accepted = accepted;
  }

  /** Opens or creates the file. Throws a usage error if the file is something else. */
  static async open(path: string): Promise<Results> {
    const file = await open(path, 'a+').catch((cause: unknown) => {
      throw new CliError(EXIT.usage, `The result file ${path} cannot be opened.`, { cause });
    });
    if (!(await hasHeader(file))) {
      await file.close();
      throw new CliError(EXIT.usage, `${path} is no result file of an import.`);
    }
    const length = await completeLength(path);
    await file.truncate(length);
    if (length === 0) await file.appendFile(`${HEADER}\n`);
    return new Results(file, await readAccepted(path));
  }

  /** True if an earlier run got an answer with a message for this row and this key. */
  isAccepted(row: number, key: string): boolean {
    return this.#accepted.has(row, key);
  }

  /** Appends a line. Lines that arrive during a write are written together. */
  add({ row, id, status, error, key }: RowResult): void {
    this.#waiting += `${[String(row), id, status, error, key].map(cell).join(',')}\n`;
    this.#writing ??= this.#write();
  }

  /** Resolves when all lines are in the file, and closes it. */
  async close(): Promise<void> {
    try {
      await this.#writing;
    } finally {
      await this.#file.close();
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const text = this.#waiting;
      this.#waiting = '';
      await this.#file.appendFile(text);
    }
    this.#writing = undefined;
  }
}

/** Rows with a message: 48 bits of the key at the position of the row, which is 8 bytes a row. */
class AcceptedRows {
  #marks = new Float64Array(1024);

  add(row: number, key: string): void {
    if (row >= this.#marks.length) {
      const larger = new Float64Array(Math.max(row + 1, this.#marks.length * 2));
      larger.set(this.#marks);
      this.#marks = larger;
    }
    this.#marks[row] = markOf(key);
  }

  has(row: number, key: string): boolean {
    return this.#marks[row] === markOf(key);
  }
}

function markOf(key: string): number {
  return Number.parseInt(key.slice(-12), 16);
}

async function readAccepted(path: string): Promise<AcceptedRows> {
  const accepted = new AcceptedRows();
  for await (const { number, cells } of readRows(path, ',')) {
    const [row = '', id = '', , , key = ''] = cells;
    if (number > 1 && id !== '' && /^\d{1,8}$/.test(row)) accepted.add(Number(row), key);
  }
  return accepted;
}

/** True if the file begins with the header, or ends within it. */
async function hasHeader(file: FileHandle): Promise<boolean> {
  const wanted = `${HEADER}\n`;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
  return wanted.startsWith(buffer.toString('latin1', 0, bytesRead));
}

/** Returns the length of a file up to its last line break, in bytes. */
async function completeLength(path: string): Promise<number> {
  let [length, complete] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) complete = length + end + 1;
    length += chunk.length;
  }
  return complete;
}

/** Returns one cell on one line. */
function cell(text: string): string {
  const safe = safeText(text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
