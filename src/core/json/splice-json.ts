import { findNode, type JsonPath, readRootNode, type TextRange } from './json-node.ts';
import { closeBrace, openBrace, skipSpace } from './skip-value.ts';

/**
 * Edits of JSON text that keep every other byte: numbers, escapes, key order and white space.
 * All of them take valid JSON text, such as that of a JsonDocument or the result of another splice.
 */

/** A range of a text and its replacement. */
export interface TextReplacement extends TextRange {
  readonly text: string;
}

/** Inserts the first member of the root object. `rawValue` is JSON text; the object must not have `key` yet. */
export function insertFirstMember(text: string, key: string, rawValue: string): string {
  return insertAfterBrace(text, skipSpace(text, 0), key, rawValue);
}

/** Inserts the first member of the object at `path`, which must exist. `rawValue` is JSON text; `key` must be new there. */
export function insertMember(text: string, path: JsonPath, key: string, rawValue: string): string {
  const node = findNode(text, readRootNode(text), path);
  if (node === undefined) throw new Error(`no value at ${JSON.stringify(path)}`);
  return insertAfterBrace(text, node.start, key, rawValue);
}

/** Replaces the value at `path` by `rawValue`, JSON text. Returns the text unchanged if there is no value. */
export function replaceValue(text: string, path: JsonPath, rawValue: string): string {
  const node = findNode(text, readRootNode(text), path);
  if (node === undefined) return text;
  return text.slice(0, node.start) + rawValue + text.slice(node.end);
}

/** Replaces ranges of `text`, given in any order; throws if two of them overlap. */
export function replaceRanges(text: string, replacements: readonly TextReplacement[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end, text: replacement } of replacements.toSorted((a, b) => a.start - b.start)) {
    if (start < copied || end < start || end > text.length) throw new Error(`cannot replace range ${start}-${end}`);
    result += text.slice(copied, start) + replacement;
    copied = end;
  }
  return result + text.slice(copied);
}

function insertAfterBrace(text: string, brace: number, key: string, rawValue: string): string {
  if (text.charCodeAt(brace) !== openBrace) throw new Error(`no object at offset ${brace}`);
  const inside = brace + 1;
  const separator = text.charCodeAt(skipSpace(text, inside)) === closeBrace ? '' : ',';
  return `${text.slice(0, inside)}${JSON.stringify(key)}:${rawValue}${separator}${text.slice(inside)}`;
}
