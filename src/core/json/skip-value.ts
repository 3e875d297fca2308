import { invalid } from '../errors.ts';

/**
 * Functions that move over JSON text without building values.
 * All of them expect text that `JSON.parse` accepts: they find the ends of values and do not validate them.
 */

/** Most objects and arrays open at once, the root included (api-rules#bodies). */
const jsonDepthMax = 64;

export const quote = 0x22;
const comma = 0x2c;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
const backslash = 0x5c;
const space = 0x20;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Longest string read by a plain loop. Most keys and values are shorter, and the loop then beats the fixed cost of `indexOf`. */
const shortStringChars = 24;

/** The offset of the first character at or after `start` that is not JSON white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The offset just after the string whose opening quote is at `start`. */
export function skipString(text: string, start: number): number {
  let at = start + 1;
  for (const loopEnd = at + shortStringChars; at < loopEnd; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  for (;;) {
    const quoteAt = text.indexOf('"', at);
    if (quoteAt === -1) return text.length;
    let escapesFrom = quoteAt;
    while (escapesFrom > at && text.charCodeAt(escapesFrom - 1) === backslash) escapesFrom--;
    at = quoteAt + 1;
    const isEscaped = (quoteAt - escapesFrom) % 2 === 1;
    if (!isEscaped) return at;
  }
}

/** The offset just after the number, `true`, `false` or `null` that starts at `start`. */
export function skipScalar(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === closeBrace || code === closeBracket || isSpace(code)) break;
  }
  return at;
}

/**
 * The offset just after the value that starts at `start`, inside `depth` open objects and arrays.
 * Takes constant memory and linear time. Raises VALIDATION_ERROR if more than `jsonDepthMax` are open.
 */
export function skipValue(text: string, start: number, depth: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return skipString(text, start);
  if (first !== openBrace && first !== openBracket) return skipScalar(text, start);

  let open = depth;
  let at = start;
  do {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      continue;
    }
    at++;
    if (code === openBrace || code === openBracket) {
      open++;
      if (open > jsonDepthMax) throw invalid(`The body is nested more than ${jsonDepthMax} levels deep.`);
    } else if (code === closeBrace || code === closeBracket) {
      open--;
    }
  } while (open > depth && at < text.length);
  return at;
}

/** The offset of the next member or element, or of the closing bracket; `start` is the end of the previous one. */
export function skipSeparator(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text.charCodeAt(at) === comma ? skipSpace(text, at + 1) : at;
}

/** The value of the string token from `start` to `end` (quotes included), with its escapes resolved. */
export function stringAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw;
}

function isSpace(code: number): boolean {
  return code === space || code === lineFeed || code === carriageReturn || code === tab;
}
