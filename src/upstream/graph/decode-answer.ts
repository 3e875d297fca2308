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

/** The decompression of one encoding, for a whole body and for a stream. */
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
 * Decompresses an answer. The gateway asks for `identity`, but a proxy in between may compress all the same.
 * Returns the body unchanged if it cannot be decompressed, and undefined if the result exceeds `bytesMax`.
 */
export async function decodeAnswer(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return (await encodings.get(encoding.toLowerCase())?.decompress(body, { maxOutputLength: bytesMax })) ?? body;
  } catch (error) {
    return error instanceof RangeError ? undefined : body;
  }
}

/**
 * Decompresses a file as a stream; undefined if the encoding is unknown or `identity`. The stream fails if `file` fails or its bytes are
 * not of that encoding.
 */
export function decompressed(file: Readable, encoding: string): Readable | undefined {
  const decompressor = encodings.get(encoding.toLowerCase())?.createDecompressor();
  // pipeline() destroys both streams if either fails; the reader of the decompressor gets the error.
  return decompressor && pipeline(file, decompressor, () => {});
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Removes the byte order mark that some servers write before their JSON. */
export function withoutByteOrderMark(body: Buffer): Buffer {
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? body.subarray(BYTE_ORDER_MARK.length)
    : body;
}
