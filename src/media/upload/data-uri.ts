import { ByteReader } from './byte-reader.ts';

/** A data URI whose contents are still on their way. */
export interface DataUri {
  /** The declared type with its parameters, as sent; undefined if the URI has none. */
  declaredMime: string | undefined;
  /** Decoded as it is read. Raises DataUriError as soon as the payload turns out to be no base64. */
  contents: AsyncIterable<Buffer>;
}

/** A payload that is no base64. */
export class DataUriError extends Error {
  override readonly name = 'DataUriError';
}

const COMMA = Buffer.from(',');
const HEADER_BYTES_MAX = 512;

/** A type, if any, then parameters whose quoted values may hold anything, then the marker of base64. */
const HEADER = /^data:\s*((?:[\w.+-]+\/[\w.+*-]+)?)\s*((?:;(?:[^;"]|"(?:[^"\\]|\\.)*")*)*?);\s*base64\s*$/is;

/**
 * Reads `data:<mime>[;parameters];base64,<payload>` (api-rules#uploads) from a stream; `undefined` when it does not start like one.
 * The payload begins at the comma behind `;base64`: parameters have commas, too, as `codecs=vp9,opus` of browsers' recorders.
 * Spaces in the payload stand for `+`, which form decoding turns into spaces; line breaks are skipped; padding may be
 * missing. An empty payload is valid, and empty.
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

/** Percent-encoded forms of the characters a client may have encoded twice. */
const ENCODED_CHARS: Readonly<Record<string, string>> = { '%2b': '+', '%2f': '/', '%3d': '=' };

/** Three digits, and padding that is percent-encoded but for its last character. */
const HELD_CHARS_MAX = 8;

/** Decodes whole groups of four; what is left of a group, or may be padding, waits for what follows. */
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
