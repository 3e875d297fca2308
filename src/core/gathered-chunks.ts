/** Smaller chunks are copied together: the overhead of a Buffer object exceeds the cost of copying its bytes. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 16 * 1024;
const NO_BLOCK = Buffer.alloc(0);
/** Number of chunks whose size does not matter. A stream of more chunks must average AVERAGE_BYTES_MIN. */
const CHUNKS_FREE = 4096;
const AVERAGE_BYTES_MIN = 64;

/**
 * Buffers the chunks of a stream in order until they are taken. The sender decides how small its chunks are, and a chunk of one byte takes
 * about 200 as an object. Small chunks are therefore copied together.
 */
export class GatheredChunks {
  readonly #chunks: Buffer[] = [];
  #block: Buffer = NO_BLOCK;
  /** Bytes of the block before `#from` have been handed out; bytes from `#to` on are free. */
  #from = 0;
  #to = 0;
  #pushed = 0;
  #pushedBytes = 0;

  /**
   * True if the stream came in more and smaller chunks than a normal sender produces. Receiving a chunk costs the same whatever its size,
   * so such a stream is an attack or a defect.
   */
  get isSplintered(): boolean {
    return this.#pushed > CHUNKS_FREE && this.#pushedBytes < this.#pushed * AVERAGE_BYTES_MIN;
  }

  /** Adds a chunk. A large chunk is kept without copying, and so is the first one, because most bodies are a single chunk. */
  push(chunk: Buffer): void {
    this.#pushed += 1;
    this.#pushedBytes += chunk.length;
    if (chunk.length >= SMALL_BYTES || this.#isEmpty) {
      this.#endBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (chunk.length > this.#block.length - this.#to) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#from = 0;
      this.#to = 0;
    }
    this.#to += chunk.copy(this.#block, this.#to);
  }

  /** Takes the first buffered bytes, of any length; undefined if there are none. */
  shift(): Buffer | undefined {
    if (this.#chunks.length === 0) this.#endBlock();
    return this.#chunks.shift();
  }

  /** Takes all buffered bytes. */
  takeAll(): Buffer {
    this.#endBlock();
    const chunks = this.#chunks.splice(0);
    const [first] = chunks;
    return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  }

  get #isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#to === this.#from;
  }

  #endBlock(): void {
    if (this.#to > this.#from) this.#chunks.push(this.#block.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}
