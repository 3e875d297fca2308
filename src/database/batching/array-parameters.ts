/**
 * Array parameters in PostgreSQL's binary format. As text, every element would be escaped here and parsed there; for batches of
 * messages that costs more than all other traffic to the database.
 */

/** Describes the encoding of one element type. `write` puts a value at `offset` and returns the offset after it. */
interface ElementType {
  oid: number;
  /** An upper bound of the bytes one value takes. */
  bytesOf(value: never): number;
  write(target: Buffer, value: never, offset: number): number;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const TWO_POW_32 = 2 ** 32;
const HYPHEN = 45;
/** By character code: the value of a hexadecimal digit, -1 for any other character. */
const HEX_DIGITS = new Int8Array(128).fill(-1);
for (const digit of '0123456789abcdefABCDEF') HEX_DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

const ELEMENT_TYPES: Record<string, ElementType> = {
  bool: elementType<boolean>(16, 1, (target, value, offset) => target.writeUInt8(value ? 1 : 0, offset)),
  smallint: elementType<number>(21, 2, (target, value, offset) => target.writeInt16BE(value, offset)),
  int: elementType<number>(23, 4, (target, value, offset) => target.writeInt32BE(value, offset)),
  bigint: elementType<number | string>(20, 8, (target, value, offset) => writeInt64(target, Number(value), offset)),
  timestamptz: elementType<Date>(1184, 8, (target, value, offset) =>
    // Microseconds exceed the safe integers of a double within the years a Date can hold.
    target.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MS) * 1000n, offset),
  ),
  uuid: elementType<string>(2950, 16, writeUuid),
  bytea: {
    oid: 17,
    bytesOf: (value: Buffer) => value.length,
    write: (target: Buffer, value: Buffer, offset: number) => offset + value.copy(target, offset),
  } as ElementType,
  text: {
    oid: 25,
    // UTF-16 units take at most three bytes each.
    bytesOf: (value: string) => value.length * 3,
    write: (target: Buffer, value: string, offset: number) => offset + target.write(value, offset),
  } as ElementType,
};
const SYNONYMS: Record<string, string> = { boolean: 'bool', integer: 'int' };

/** Cache size, above the number of texts in use at a time; some texts differ each day. */
const TEXTS_MAX = 1_000;
const typesByText = new Map<string, (ElementType | undefined)[]>();

/**
 * Returns the values of a statement, with every array whose parameter the text casts (`$3::uuid[]`) in binary. All other values stay
 * unchanged for the driver to write, among them arrays of arrays and of other element types. Elements are as the driver takes them, with
 * null and undefined for NULL; bigint elements are whole numbers below 2^53. Throws RangeError for a number its type cannot hold.
 */
export function encodeArrays(text: string, values: unknown[]): unknown[] {
  let types = typesByText.get(text);
  if (types === undefined) {
    types = elementTypesIn(text);
    if (typesByText.size >= TEXTS_MAX) typesByText.clear();
    typesByText.set(text, types);
  }
  const known = types;
  return values.map((value, index) => {
    const type = known[index];
    return type === undefined || !Array.isArray(value) ? value : encodeArray(type, value);
  });
}

/** The element type each parameter is cast to, by its index. */
function elementTypesIn(text: string): (ElementType | undefined)[] {
  const types: (ElementType | undefined)[] = [];
  for (const [, number, name = ''] of text.matchAll(/\$(\d+)::(\w+)\[\]/g)) {
    types[Number(number) - 1] = ELEMENT_TYPES[SYNONYMS[name] ?? name];
  }
  return types;
}

function encodeArray(type: ElementType, values: unknown[]): Buffer {
  let bytesMax = HEADER_BYTES;
  for (const value of values) bytesMax += LENGTH_BYTES + (isNull(value) ? 0 : type.bytesOf(value as never));
  const target = Buffer.allocUnsafe(bytesMax);
  target.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  target.writeInt32BE(0, 4);
  target.writeInt32BE(type.oid, 8);
  if (values.length === 0) return target.subarray(0, 12);
  target.writeInt32BE(values.length, 12);
  target.writeInt32BE(1, 16);
  let offset = HEADER_BYTES;
  for (const value of values) {
    const start = offset + LENGTH_BYTES;
    if (isNull(value)) {
      target.writeInt32BE(1, 4);
      offset = target.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    const end = type.write(target, value as never, start);
    target.writeInt32BE(end - start, offset);
    offset = end;
  }
  return target.subarray(0, offset);
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

function elementType<Value>(
  oid: number,
  bytes: number,
  write: (target: Buffer, value: Value, offset: number) => number,
): ElementType {
  return { oid, bytesOf: () => bytes, write: write as ElementType['write'] };
}

function writeInt64(target: Buffer, value: number, offset: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number below 2^53: ${value}`);
  const high = Math.floor(value / TWO_POW_32);
  target.writeInt32BE(high, offset);
  return target.writeUInt32BE(value - high * TWO_POW_32, offset + 4);
}

/** Writes digit by digit: removing the hyphens and decoding the rest takes three times as long, and every row has ids. */
function writeUuid(target: Buffer, value: string, offset: number): number {
  let end = offset;
  let seen = 0;
  for (let at = 0; at < value.length; at += 2) {
    if (value.charCodeAt(at) === HYPHEN) at += 1;
    const byte = (hexDigit(value, at) << 4) | hexDigit(value, at + 1);
    seen |= byte;
    target[end] = byte;
    end += 1;
  }
  if (end !== offset + 16 || seen < 0) throw new RangeError(`not a UUID: ${value}`);
  return end;
}

/** The digit's value; below 0 for any other character. */
function hexDigit(text: string, at: number): number {
  return HEX_DIGITS[text.charCodeAt(at)] ?? -1;
}
