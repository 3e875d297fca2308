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

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressions: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify(gunzip) as Decompress],
  ['x-gzip', promisify(gunzip) as Decompress],
  ['deflate', promisify(inflate) as Decompress],
  ['br', promisify(brotliDecompress) as Decompress],
  ['zstd', promisify(zstdDecompress) as Decompress],
]);

/**
 * What was in a compressed answer, which nobody asked for but some box in between may send. One that cannot be decompressed stays as
 * it is; undefined for one of more than `bytesMax`.
 */
export async function decodeAnswer(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return (await decompressions.get(encoding.toLowerCase())?.(body, { maxOutputLength: bytesMax })) ?? body;
  } catch (error) {
    return error instanceof RangeError ? undefined : body;
  }
}

const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** What is in a compressed file as it comes, undefined for one that is not compressed. Fails as `file` does, and where that is no such thing. */
export function decompressed(file: Readable, encoding: string): Readable | undefined {
  const decompressor = decompressors.get(encoding.toLowerCase())?.();
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
