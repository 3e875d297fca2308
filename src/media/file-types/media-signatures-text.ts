import type { SniffedMedia } from './file-contents.ts';
import type { MimeType } from './media-type-table.ts';

/** Types that a text may have: Word and Excel open RTF, HTML and CSV under their own extensions, and browsers declare them so. */
export const TEXT_TYPES: readonly MimeType[] = ['text/plain', 'application/msword', 'application/vnd.ms-excel'];

/** Formats that are text, but not meant to be read as text: accepted as text only if declared or named so. */
const MARKED_UP: readonly (readonly [RegExp, name: string])[] = [
  [/^\s*\{\\rtf/, 'application/rtf (.rtf)'],
  [/^(?:\s|<\?[^>]*>)*<(?:!DOCTYPE\s+svg|svg:svg|svg)\b/i, 'image/svg+xml (.svg)'],
  [/^%!PS/, 'application/postscript (.ps)'],
];

const MARK_CHARS_MAX = 2048;

/** Recognizes valid UTF-8, or UTF-16 with a byte order mark, without control characters. */
export function sniffText(head: Buffer, bytes: number): SniffedMedia | undefined {
  const text = head.length === 0 ? undefined : decode(head, bytes);
  if (text === undefined || /[^\P{Cc}\t\n\f\r]/u.test(text)) return undefined;
  const start = text.slice(0, MARK_CHARS_MAX).replace(/<!--.*?-->/gs, '');
  const name = MARKED_UP.find(([pattern]) => pattern.test(start))?.[1];
  return name === undefined ? { possible: TEXT_TYPES, likely: 'text/plain' } : { possible: TEXT_TYPES, name };
}

/**
 * Recognizes binary contents that a program read as text and wrote again as UTF-8. Every byte it could not read became U+FFFD, or, if it
 * read Latin-1, a C1 control character. Signatures made of letters survive that, but the file does not.
 */
export function sniffMangled(head: Buffer, bytes: number): SniffedMedia | undefined {
  if (looksLikeText(head) || !/[\x80-\x9f\ufffd]/.test(decode(head, bytes) ?? '')) return undefined;
  return { possible: canBeText(head) ? TEXT_TYPES : [], name: 'binary data that was read as text on its way' };
}

function decode(head: Buffer, bytes: number): string | undefined {
  const bom = head.toString('hex', 0, 2);
  const encoding = bom === 'fffe' ? 'utf-16le' : bom === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    // A character cut at the end of the window is no error; one cut at the end of the file is.
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: head.length < bytes });
  } catch {
    return undefined;
  }
}

/** Control characters that texts do not use. Logs use escape for colours, and older encodings use it for switching. */
const CONTROLS: ReadonlySet<number> = new Set([
  0, 1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 127,
]);

/** Largest share of control characters among the bytes of a text: logs have some, arbitrary bytes have one in ten. */
const CONTROLS_SHARE_MAX = 0.05;

/** Returns true if the bytes are letters of some code page, without any control character. */
export function looksLikeText(head: Buffer): boolean {
  return head.length > 0 && !/[^\P{Cc}\t\n\f\r\x80-\x9f]/u.test(head.toString('latin1'));
}

/** Returns true if the bytes may be a text: one with a few control characters, or UTF-16 without a byte order mark. */
export function canBeText(head: Buffer): boolean {
  if (hasFewControls(head)) return true;
  const halves = [0, 1].map((parity) => head.filter((_byte, index) => index % 2 === parity));
  return [halves, halves.toReversed()].some(([high, low]) => isMostlyZero(high) && hasFewControls(low));
}

function hasFewControls(bytes: Uint8Array = new Uint8Array()): boolean {
  const controls = bytes.reduce((count, byte) => count + (CONTROLS.has(byte) ? 1 : 0), 0);
  return bytes.length > 0 && controls <= bytes.length * CONTROLS_SHARE_MAX;
}

function isMostlyZero(bytes: Uint8Array = new Uint8Array()): boolean {
  const zeros = bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  return zeros > bytes.length / 2;
}
