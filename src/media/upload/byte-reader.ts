/**
 * Reads a stream of bytes up to delimiters. Never holds more than one chunk and the beginning of a delimiter in which the previous chunk
 * ended. Only one reader may read at a time; bytes that a section did not read are left for the next one.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /**
   * Returns the bytes before `delimiter`, and consumes both. `undefined`, with nothing consumed, if the source ends first or more than
   * `bytesMax` bytes come before it.
   */
  async readUntil(delimiter: Buffer, bytesMax: number): Promise<Buffer | undefined> {
    for (;;) {
      const at = this.#buffer.indexOf(delimiter);
      if (at > bytesMax) return undefined;
      if (at >= 0) return this.#take(at, delimiter.length);
      if (this.#buffer.length >= bytesMax + delimiter.length || !(await this.#fill())) return undefined;
    }
  }

  /** Returns true and consumes the next bytes if they equal `expected`. */
  async skip(expected: Buffer): Promise<boolean> {
    while (this.#buffer.length < expected.length && (await this.#fill())) {
      // until there are enough bytes to compare
    }
    if (!this.#buffer.subarray(0, expected.length).equals(expected)) return false;
    this.#take(0, expected.length);
    return true;
  }

  /** Returns the bytes before `delimiter` as a stream; the delimiter is consumed with the last of them. */
  section(delimiter: Buffer): Section {
    let end: Section['end'];
    const next = async (): Promise<IteratorResult<Buffer>> => {
      while (end === undefined) {
        const at = this.#buffer.indexOf(delimiter);
        if (at >= 0) {
          end = 'delimiter';
          const last = this.#take(at, delimiter.length);
          if (last.length > 0) return { done: false, value: last };
          break;
        }
        const certain = this.#buffer.length - overlapOf(this.#buffer, delimiter);
        if (certain > 0) return { done: false, value: this.#take(certain, 0) };
        if (!(await this.#fill())) {
          end = 'source';
          const rest = this.#take(this.#buffer.length, 0);
          if (rest.length > 0) return { done: false, value: rest };
        }
      }
      return { done: true, value: undefined };
    };
    return {
      get end() {
        return end;
      },
      // Without `return()`: leaving a loop over a section early keeps its position.
      [Symbol.asyncIterator]: () => ({ next }),
    };
  }

  /** Yields all remaining bytes. */
  async *rest(): AsyncGenerator<Buffer> {
    do {
      if (this.#buffer.length > 0) yield this.#take(this.#buffer.length, 0);
    } while (await this.#fill());
  }

  #take(bytes: number, skipped: number): Buffer {
    const taken = this.#buffer.subarray(0, bytes);
    this.#buffer = this.#buffer.subarray(bytes + skipped);
    return taken;
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done === true) return false;
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
    return true;
  }
}

/** Part of a stream. Another iteration continues where the last one stopped. */
export interface Section extends AsyncIterable<Buffer> {
  /** Reason why it ended; `undefined` while it has not been read to its end. */
  readonly end: 'delimiter' | 'source' | undefined;
}

/** Reads `section` to its end and discards the bytes. */
export async function drain(section: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of section) {
    // not wanted
  }
}

/** Returns the number of bytes at the end of `bytes` that may begin `delimiter`. */
function overlapOf(bytes: Buffer, delimiter: Buffer): number {
  for (let length = Math.min(bytes.length, delimiter.length - 1); length > 0; length -= 1) {
    if (bytes.subarray(-length).equals(delimiter.subarray(0, length))) return length;
  }
  return 0;
}
