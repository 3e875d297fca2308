export type DataUri =
  | {
      kind: 'ok';
      /** The declared type with its parameters, as sent. */
      declaredMime: string;
      contents: Buffer;
    }
  | { kind: 'invalid'; reason: 'syntax' | 'too_large' };

const HEADER_CHARS_MAX = 512;

/** Percent-encoded forms of the characters a client may have encoded twice. */
const ENCODED_CHARS: Readonly<Record<string, string>> = { '%2b': '+', '%2f': '/', '%3d': '=' };

/**
 * Reads `data:<mime>[;parameters];base64,<payload>` (spec 4.4). Spaces in the payload stand for `+`, which form
 * decoding turns into spaces; line breaks are skipped; padding may be missing. Contents over `bytesMax` are refused
 * before anything is decoded. An empty payload is valid, and empty.
 */
export function readDataUri(text: string, options: { bytesMax: number }): DataUri {
  const comma = text.slice(0, HEADER_CHARS_MAX).indexOf(',');
  const declaredMime = /^data:([\w.+-]+\/[\w.+-]+(?:;[^;,]*)*?);base64$/i.exec(
    text.slice(0, Math.max(0, comma)).trim(),
  )?.[1];
  if (declaredMime === undefined) return { kind: 'invalid', reason: 'syntax' };

  const payload = text
    .slice(comma + 1)
    .replace(/[\r\n]+/g, '')
    .replaceAll(' ', '+')
    .replace(/%(2b|2f|3d)/gi, (encoded) => ENCODED_CHARS[encoded.toLowerCase()] ?? encoded);
  const digits = payload.replace(/={1,2}$/, '');
  const isPadded = digits.length < payload.length;
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1 || (isPadded && payload.length % 4 !== 0)) {
    return { kind: 'invalid', reason: 'syntax' };
  }
  if (Math.floor((digits.length * 3) / 4) > options.bytesMax) return { kind: 'invalid', reason: 'too_large' };
  return { kind: 'ok', declaredMime, contents: Buffer.from(digits, 'base64') };
}
