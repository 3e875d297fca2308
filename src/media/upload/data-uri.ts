import { ByteReader } from './byte-reader.ts';

/** Data URI whose contents are still arriving. */
export interface DataUri {
  /** Declared type with its parameters, as sent; undefined if the URI has none. */
  declaredMime: string | undefined;
  /** Contents, decoded while they are read. Raises DataUriError as soon as the payload turns out not to be base64. */
  contents: AsyncIterable<Buffer>;
}

/** Raised for a payload that is not base64. */
export class DataUriError extends Error {
  override readonly name = 'DataUriError';
}

const COMMA = Buffer.from(',');
const HEADER_BYTES_MAX = 512;

/** Matches an optional type, then parameters whose quoted values may hold anything, then the marker of base64. */
const HEADER = /^data:\s*((?:[\w.+-]+\/[\w.+*-]+)?)\s*((?:;(?:[^;"]|"(?:[^"\\]|\\.)*")*)*?);\s*base64\s*$/is;

/**
 * Reads `data:<mime>[;parameters];base64,<payload>` (api-rules#uploads) from a stream; `undefined` if it does not start like one.
 * The payload begins at the comma behind `;base64`, because parameters have commas, too, such as `codecs=vp9,opus` from browsers'
 * recorders. Spaces in the payload stand for `+`, which form decoding turns into spaces. Line breaks are skipped, and padding may be
 * missing. An empty payload is valid.
 */
export async function readDataUri(text: AsyncIterable<Buffer>): Promise<DataUri | undefined> {
  const reader = new ByteReader(text);
  for (let header = ''; ; header += ',') {
    const part = await reader.readUntil(COMMA, HEADER_BYTES_MAX - header.length);
    if (part === undefined) return undefined;
    header += part.toString('latin1');
    const found = HEADER.exec(header.trim());
    if (found === null) continue;
    const [, mimeType, parameters] = found;
    return {
      declaredMime: mimeType === '' ? undefined : `${mimeType}${parameters}`,
      contents: decodeBase64(reader.rest()),
    };
  }
}

/** Percent-encoded forms of the characters that a client may have encoded twice. */
const ENCODED_CHARS: Readonly<Record<string, string>> = { '%2b': '+', '%2f': '/', '%3d': '=' };

/** Length of three digits, and of padding that is percent-encoded except its last character. */
const HELD_CHARS_MAX = 8;

/** Decodes whole groups of four; the rest of a group, or possible padding, waits for the next chunk. */
async function* decodeBase64(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const chunk of source) {
    const text = (held + chunk.toString('latin1'))
      .replace(/[\r\n]+/g, '')
      .replaceAll(' ', '+')
      .replace(/%(?:2b|2f|3d)/gi, (encoded) => ENCODED_CHARS[encoded.toLowerCase()] ?? encoded);
    const paddingAt = text.search(/[=%]/);
    const digitChars = paddingAt < 0 ? text.length : paddingAt;
    const digits = text.slice(0, digitChars - (digitChars % 4));
    held = text.slice(digits.length);
    if (held.length > HELD_CHARS_MAX || /[^A-Za-z0-9+/]/.test(digits)) throw new DataUriError();
    if (digits !== '') yield Buffer.from(digits, 'base64');
  }
  if (!/^(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(held)) throw new DataUriError();
  if (held !== '') yield Buffer.from(held, 'base64');
}
