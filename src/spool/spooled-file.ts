import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BufferCollector } from './buffer-collector.ts';

const CHUNK_BYTES = 64 * 1024;

/** A received file on disk, without a name: closing its handle deletes it, even if the process is killed. */
export class SpooledFile implements AsyncDisposable {
  /** Size as received, even if the file was too large to be kept whole. */
  readonly bytes: number;
  /** SHA-256 of the bytes kept, in hex. */
  readonly sha256: string;
  readonly #handle: FileHandle;
  readonly #collector: BufferCollector;

  constructor(handle: FileHandle, received: { bytes: number; sha256: string }, collector: BufferCollector) {
    this.#handle = handle;
    this.#collector = collector;
    this.bytes = received.bytes;
    this.sha256 = received.sha256;
  }

  /** Up to `bytesMax` bytes from `position` on; fewer at the end of the file. */
  async read(position: number, bytesMax: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(bytesMax), 0, bytesMax, position);
    return buffer.subarray(0, bytesRead);
  }

  /** The contents from the first byte on. Can be called again for another attempt. */
  stream(): Readable {
    return Readable.from(this.#readWhole(), { objectMode: false });
  }

  /** Frees the disk space. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async *#readWhole(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { buffer, bytesRead } = await this.#handle.read(chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
      this.#collector.count(bytesRead);
    }
  }
}
