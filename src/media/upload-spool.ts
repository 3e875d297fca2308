import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { BufferCollector } from './buffer-collector.ts';
import { SNIFF_BYTES_MAX } from './media-signatures.ts';

/** A received file on disk, without a name: it is gone with its handle, even if the process is killed. */
export interface SpooledFile extends AsyncDisposable {
  /** Size as received, also of a file too large to be kept. */
  bytes: number;
  /** In hex. */
  sha256: string;
  /** Reads both ends, 64 KiB each at most. */
  readEnds(): Promise<{ head: Buffer; tail: Buffer }>;
  /** The contents from the first byte on. */
  stream(): Readable;
}

/** Where uploads wait until it is known where they go: fields may come after the file. */
export class UploadSpool {
  readonly #dir: string;
  readonly #bytesMax: number;
  readonly #collector: BufferCollector;

  /** `dir` is made when it is needed, for this user only. Of a file larger than `bytesMax` no more than that is kept. */
  constructor(options: { dir: string; bytesMax: number; collector: BufferCollector }) {
    this.#dir = options.dir;
    this.#bytesMax = options.bytesMax;
    this.#collector = options.collector;
  }

  /**
   * Deletes files a process died over in the moment between making one and taking its name away, and makes sure that
   * the directory is there and private. Rejects when it belongs to somebody else.
   */
  async sweep(nowMs: number): Promise<void> {
    await this.#prepare();
    for (const name of await readdir(this.#dir)) {
      const path = join(this.#dir, name);
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < nowMs - LEFTOVER_MS) await rm(path, { force: true, recursive: true });
    }
  }

  /** Writes `source` to disk, holding one chunk at a time in memory. Rejects with what the source or the disk fails with. */
  async receive(source: AsyncIterable<Buffer>): Promise<SpooledFile> {
    const handle = await this.#openUnnamed();
    try {
      return await this.#fill(handle, source);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #fill(handle: FileHandle, source: AsyncIterable<Buffer>): Promise<SpooledFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of source) {
      if (bytes + chunk.length <= this.#bytesMax) {
        hash.update(chunk);
        await writeWhole(handle, chunk, bytes);
      }
      bytes += chunk.length;
      this.#collector.count(chunk.length);
    }
    return {
      bytes,
      sha256: hash.digest('hex'),
      readEnds: async () => ({
        head: await readWindow(handle, 0),
        tail: await readWindow(handle, Math.max(0, bytes - SNIFF_BYTES_MAX)),
      }),
      stream: () => Readable.from(this.#readWhole(handle), { objectMode: false }),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }

  async *#readWhole(handle: FileHandle): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
      this.#collector.count(bytesRead);
    }
  }

  async #openUnnamed(): Promise<FileHandle> {
    const path = join(this.#dir, randomUUID());
    const handle = await open(path, 'wx+', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      // The first upload, or somebody tidied up the temporary directory.
      if (error.code !== 'ENOENT') throw error;
      await this.#prepare();
      return open(path, 'wx+', 0o600);
    });
    await unlink(path);
    return handle;
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const found = await lstat(this.#dir);
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    if (!found.isDirectory() || !isOwn || (found.mode & 0o077) !== 0) {
      throw new Error(`${this.#dir} must be a directory that only this user can open`);
    }
  }
}

const LEFTOVER_MS = 60_000;
const CHUNK_BYTES = 64 * 1024;

async function writeWhole(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}

async function readWindow(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES_MAX), 0, SNIFF_BYTES_MAX, position);
  return buffer.subarray(0, bytesRead);
}
