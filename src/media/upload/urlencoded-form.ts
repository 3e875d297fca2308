import { ByteReader, drain } from './byte-reader.ts';
import { FormError, type FormPart } from './form-part.ts';

const AMPERSAND = Buffer.from('&');
const EQUALS = Buffer.from('=');
const NAME_BYTES_MAX = 1024;
const PAIRS_MAX = 64;

/**
 * Reads `application/x-www-form-urlencoded` pair by pair as it arrives, so that a value of a hundred megabytes takes hardly any memory.
 * Lenient like browsers: invalid percent-encoding stands for itself. Raises FormError for too many pairs. Chunks of `body` are decoded in
 * place.
 */
export async function* readUrlencodedForm(body: AsyncIterable<Buffer>): AsyncGenerator<FormPart, void> {
  const reader = new ByteReader(body);
  for (let pairs = 0; ; pairs += 1) {
    // Pairs without a name count as well: a body can hold a hundred million of them.
    if (pairs === PAIRS_MAX) throw new FormError(`has more than ${PAIRS_MAX} fields`);
    const pair = reader.section(AMPERSAND);
    const inside = new ByteReader(pair);
    const name = await inside.readUntil(EQUALS, NAME_BYTES_MAX);
    if (name !== undefined) {
      const decodedName = decodeWhole(name);
      yield { name: decodedName, fileName: undefined, contentType: undefined, contents: decodePercent(inside.rest()) };
    }
    await drain(pair);
    if (pair.end === 'source') return;
  }
}

function decodeWhole(bytes: Buffer): string {
  return decodeInPlace(bytes, bytes.length).toString('utf8');
}

/** Decodes percent-encoding and turns `+` into a space, as a stream. */
async function* decodePercent(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const percent = bytes.lastIndexOf(PERCENT);
    // An escape may be cut by the end of the chunk.
    const end = percent >= 0 && percent > bytes.length - 3 ? percent : bytes.length;
    held = Buffer.from(bytes.subarray(end));
    if (end > 0) yield decodeInPlace(bytes, end);
  }
  if (held.length > 0) yield held;
}

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

function decodeInPlace(bytes: Buffer, end: number): Buffer {
  let written = 0;
  for (let read = 0; read < end; read += 1) {
    let byte = bytes[read] ?? 0;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT && read + 2 < end) {
      const high = digitOf(bytes[read + 1] ?? 0);
      const low = digitOf(bytes[read + 2] ?? 0);
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        read += 2;
      }
    }
    bytes[written] = byte;
    written += 1;
  }
  return bytes.subarray(0, written);
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
