/** Chunks of less are copied together: what an object takes weighs more than the copying of its bytes. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 16 * 1024;
const NO_BLOCK = Buffer.alloc(0);
/** So many chunks may be as small as they like; with more of them this is the least they have on average. */
const CHUNKS_FREE = 4096;
const AVERAGE_BYTES_MIN = 64;

/**
 * The chunks of a stream in their order, until somebody takes them. Whoever sends a stream decides how small its chunks are, and as
 * an object a chunk of one byte takes two hundred: so small ones are copied together.
 */
export class GatheredChunks {
  readonly #chunks: Buffer[] = [];
  #block: Buffer = NO_BLOCK;
  /** What of the block lies before `#from` has been handed out; from `#to` on it is free. */
  #from = 0;
  #to = 0;
  #pushed = 0;
  #pushedBytes = 0;

  /**
   * Whether so far there were more chunks, and smaller ones, than anybody has a reason to send: what each of them costs to receive
   * has nothing to do with its size.
   */
  get isSplintered(): boolean {
    return this.#pushed > CHUNKS_FREE && this.#pushedBytes < this.#pushed * AVERAGE_BYTES_MIN;
  }

  /** A large chunk is kept as it is, and so is the first: most bodies are one. */
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

  /** Takes what comes first, much or little of it; undefined when there is nothing. */
  shift(): Buffer | undefined {
    if (this.#chunks.length === 0) this.#endBlock();
    return this.#chunks.shift();
  }

  /** Takes all there is. */
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
