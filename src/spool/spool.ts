import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../core/make-directory.ts';
import { BufferCollector } from './buffer-collector.ts';
import { SpooledFile } from './spooled-file.ts';

const LEFTOVER_MS = 60_000;

/** Keeps files on disk while their destination is not known yet. */
export class Spool {
  /** Directory of the files in transit. */
  readonly dir: string;
  readonly #collector: BufferCollector;

  /** Creates `dir` on first use, accessible to this user only. */
  constructor(options: { dir: string; collector?: BufferCollector }) {
    this.dir = options.dir;
    this.#collector = options.collector ?? new BufferCollector();
  }

  /**
   * Deletes files left by a process that died between creating and unlinking one, and ensures that the directory exists and is private.
   * Rejects, with the necessary change, if it cannot be created or belongs to another user.
   */
  async sweep(nowMs: number): Promise<void> {
    await this.#prepare().catch((error: Error) => {
      throw new Error(`Uploads need a directory to wait in, below TMPDIR: ${error.message}`, { cause: error });
    });
    for (const name of await readdir(this.dir)) {
      const path = join(this.dir, name);
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < nowMs - LEFTOVER_MS) await rm(path, { force: true, recursive: true });
    }
  }

  /**
   * Writes `source` to disk, with one chunk at a time in memory. A file larger than `bytesMax` is read to its end, but only `bytesMax` of
   * it are kept. Rejects with the source's own error, or with a plain Error if the disk fails.
   */
  async receive(source: AsyncIterable<Buffer>, bytesMax: number): Promise<SpooledFile> {
    const handle = await onDisk(this.#openUnnamed());
    try {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of source) {
        if (bytes + chunk.length <= bytesMax) {
          hash.update(chunk);
          await onDisk(writeWhole(handle, chunk, bytes));
        }
        bytes += chunk.length;
        this.#collector.count(chunk.length);
      }
      return new SpooledFile(handle, { bytes, sha256: hash.digest('hex') }, this.#collector);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Free disk space in bytes; infinite if the system does not report it. */
  async freeBytes(): Promise<number> {
    const disk = await statfs(this.dir).catch(() => undefined);
    return disk === undefined ? Number.POSITIVE_INFINITY : disk.bavail * disk.bsize;
  }

  async #openUnnamed(): Promise<FileHandle> {
    const path = join(this.dir, randomUUID());
    const handle = await open(path, 'wx+', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      // The first file, or another program has cleaned the temporary directory.
      if (error.code !== 'ENOENT') throw error;
      await this.#prepare();
      return open(path, 'wx+', 0o600);
    });
    await unlink(path);
    return handle;
  }

  async #prepare(): Promise<void> {
    await makeDirectory(this.dir);
    const found = await lstat(this.dir);
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    if (!found.isDirectory() || !isOwn || (found.mode & 0o077) !== 0) {
      throw new Error(`${this.dir} must be a directory that only this user can open`);
    }
  }
}

async function writeWhole(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}

/** Wraps errors of the disk. Without this, a full disk would look like a failure of the connection. */
async function onDisk<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (cause) {
    throw new Error('temporary storage failed', { cause });
  }
}
