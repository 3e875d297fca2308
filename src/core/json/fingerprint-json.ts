import { digestUuid } from '../ids.ts';
import {
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  quote,
  skipScalar,
  skipSeparator,
  skipSpace,
  skipString,
} from './skip-value.ts';

/**
 * Returns 128 bits, as a UUID, that are equal for two texts with the same meaning. White space, the order of keys and the
 * spelling of string escapes do not count (api-rules#idempotency).
 *
 * Numbers count as spelled: `1`, `1.0` and `1e0` differ, and so do 12345678901234567890 and …891. The gateway forwards the spelling,
 * so the platform could distinguish them, and a retry repeats its bytes. If a key appears twice at a level that the gateway does not
 * read, both members count, in their order. Takes valid JSON text, such as that of a JsonDocument.
 */
export function fingerprintJson(text: string): string {
  return digestUuid(canonicalValue({ text, at: skipSpace(text, 0) }));
}

interface Member {
  key: string;
  value: string;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads the value at the cursor and moves past it. Recursive: a JsonDocument has at most 64 levels. */
function canonicalValue(cursor: Cursor): string {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case openBrace:
      return canonicalObject(cursor);
    case openBracket:
      return canonicalArray(cursor);
    case quote:
      return canonicalString(cursor);
    default:
      return canonicalScalar(cursor);
  }
}

function canonicalObject(cursor: Cursor): string {
  const members: Member[] = [];
  cursor.at = skipSpace(cursor.text, cursor.at + 1);
  while (cursor.text.charCodeAt(cursor.at) !== closeBrace) {
    const key = canonicalString(cursor);
    cursor.at = skipSpace(cursor.text, skipSpace(cursor.text, cursor.at) + 1);
    members.push({ key, value: canonicalValue(cursor) });
    cursor.at = skipSeparator(cursor.text, cursor.at);
  }
  cursor.at++;
  members.sort(byKey);
  let canonical = '';
  for (const { key, value } of members) canonical += `${canonical === '' ? '{' : ','}${key}:${value}`;
  return `${canonical || '{'}}`;
}

function byKey(a: Member, b: Member): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

function canonicalArray(cursor: Cursor): string {
  let canonical = '';
  cursor.at = skipSpace(cursor.text, cursor.at + 1);
  while (cursor.text.charCodeAt(cursor.at) !== closeBracket) {
    canonical += `${canonical === '' ? '[' : ','}${canonicalValue(cursor)}`;
    cursor.at = skipSeparator(cursor.text, cursor.at);
  }
  cursor.at++;
  return `${canonical || '['}]`;
}

function canonicalString(cursor: Cursor): string {
  const token = take(cursor, skipString(cursor.text, cursor.at));
  return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
}

function canonicalScalar(cursor: Cursor): string {
  return take(cursor, skipScalar(cursor.text, cursor.at));
}

function take(cursor: Cursor, end: number): string {
  const token = cursor.text.slice(cursor.at, end);
  cursor.at = end;
  return token;
}
