import { ByteReader } from './byte-reader.ts';

/** A data URI whose contents are still on their way. */
export interface DataUri {
  /** The declared type with its parameters, as sent. */
  declaredMime: string;
  /** Decoded as it is read. Raises DataUriError as soon as the payload turns out to be no base64. */
  contents: AsyncIterable<Buffer>;
}

/** A payload that is no base64. */
export class DataUriError extends Error {
  override readonly name = 'DataUriError';
}

const COMMA = Buffer.from(',');
const HEADER_BYTES_MAX = 512;

/**
 * Reads `data:<mime>[;parameters];base64,<payload>` (api-rules#uploads) from a stream; `undefined` when it does not start like one.
 * Spaces in the payload stand for `+`, which form decoding turns into spaces; line breaks are skipped; padding may be
 * missing. An empty payload is valid, and empty.
 */
export async function readDataUri(text: AsyncIterable<Buffer>): Promise<DataUri | undefined> {
  const reader = new ByteReader(text);
  const header = (await reader.readUntil(COMMA, HEADER_BYTES_MAX))?.toString('utf8').trim() ?? '';
  const declaredMime = /^data:([\w.+-]+\/[\w.+-]+(?:;[^;,]*)*?);base64$/i.exec(header)?.[1];
  return declaredMime === undefined ? undefined : { declaredMime, contents: decodeBase64(reader.rest()) };
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
