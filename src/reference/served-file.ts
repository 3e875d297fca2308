import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** Bytes to serve, with their ETag. The compressed form is made at its first use and kept. */
export class ServedFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Changes with the bytes. */
  readonly tag: string;
  #compressed: Buffer | undefined;

  constructor(bytes: Buffer, type: string) {
    this.bytes = bytes;
    this.type = `${type}; charset=utf-8`;
    this.tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  }

  get compressed(): Buffer {
    this.#compressed ??= gzipSync(this.bytes);
    return this.#compressed;
  }
}
