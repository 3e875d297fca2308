import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib';

/** How to undo an encoding, of a whole body and of one that comes. */
interface Encoding {
  decompress: (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;
  createDecompressor: () => Transform;
}

const gzip: Encoding = { decompress: promisify(gunzip), createDecompressor: createGunzip };
const encodings = new Map<string, Encoding>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { decompress: promisify(inflate), createDecompressor: createInflate }],
  ['br', { decompress: promisify(brotliDecompress), createDecompressor: createBrotliDecompress }],
  ['zstd', { decompress: promisify(zstdDecompress), createDecompressor: createZstdDecompress }],
]);

/**
 * What was in a compressed answer, which nobody asked for but some box in between may send. One that cannot be decompressed stays as
 * it is; undefined for one of more than `bytesMax`.
 */
export async function decodeAnswer(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return (await encodings.get(encoding.toLowerCase())?.decompress(body, { maxOutputLength: bytesMax })) ?? body;
  } catch (error) {
    return error instanceof RangeError ? undefined : body;
  }
}

/** What is in a compressed file as it comes, undefined for one that is not compressed. Fails as `file` does, and where that is no such thing. */
export function decompressed(file: Readable, encoding: string): Readable | undefined {
  const decompressor = encodings.get(encoding.toLowerCase())?.createDecompressor();
  // A failure of either ends both, and is told by the one that is read.
  return decompressor && pipeline(file, decompressor, () => {});
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The answer without the byte order mark that some put before their JSON. */
export function withoutByteOrderMark(body: Buffer): Buffer {
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? body.subarray(BYTE_ORDER_MARK.length)
    : body;
}
