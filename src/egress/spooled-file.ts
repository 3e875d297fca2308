import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { EgressError } from './egress-failure.ts';

/** Received contents on disk. The file has no name, so that even a killed process leaves nothing behind. */
export class SpooledFile implements AsyncDisposable {
  readonly bytes: number;
  readonly #handle: FileHandle;

  constructor(handle: FileHandle, bytes: number) {
    this.#handle = handle;
    this.bytes = bytes;
  }

  /** The contents from the first byte on. May be called again, for another attempt at passing them on. */
  stream(): Readable {
    return this.#handle.createReadStream({ start: 0, autoClose: false });
  }

  /** Up to `bytesMax` bytes from `position` on; fewer at the end of the file. */
  async read(position: number, bytesMax: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(bytesMax), 0, bytesMax, position);
    return buffer.subarray(0, bytesRead);
  }

  /** Frees the disk space. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/**
 * Writes a stream to disk, holding one chunk at a time in memory.
 * @throws EgressError `too_large` as soon as `bytesMax` is exceeded; whatever the stream fails with; a plain Error when
 * the disk is at fault.
 */
export async function spoolToFile(source: AsyncIterable<Buffer>, bytesMax: number): Promise<SpooledFile> {
  const handle = await onDisk(openUnnamed());
  try {
    let bytes = 0;
    for await (const chunk of source) {
      if (bytes + chunk.length > bytesMax) throw new EgressError('too_large');
      await onDisk(handle.write(chunk, 0, chunk.length, bytes));
      bytes += chunk.length;
    }
    return new SpooledFile(handle, bytes);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `fairway-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** Keeps the disk's error codes apart from the connection's: a full disk is no failure of the other side. */
async function onDisk<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (cause) {
    throw new Error('temporary storage failed', { cause });
  }
}
