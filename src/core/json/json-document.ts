import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';
import { isObject } from './is-object.ts';
import { type JsonLevels, jsonLevels } from './json-levels.ts';
import { findNode, type JsonNode, type JsonPath, readRootNode, type TextRange } from './json-node.ts';

/** A client's JSON object: a parsed view for decisions, and the exact text to forward (api-rules#bodies). */
export interface JsonDocument {
  /** The body exactly as sent. */
  readonly text: string;
  /**
   * Result of `JSON.parse(text)`: plain objects whose own properties are the members, including one named `__proto__`.
   * Check a key from outside with `Object.hasOwn` before looking it up.
   */
  readonly value: Readonly<Record<string, unknown>>;
  /** The range in `text` of the value at `path`; the root for an empty path. If a key repeats, the last one counts. */
  rangeOf(path: JsonPath): TextRange | undefined;
  /** The text of the value at `path`, byte for byte as sent. */
  rawOf(path: JsonPath): string | undefined;
}

const rootOnly = jsonLevels();

/**
 * Reads a request body as a JSON object. Time and memory are linear in the size of `bytes`, for any content.
 *
 * Throws VALIDATION_ERROR for an empty body, a byte order mark, invalid UTF-8, any text `JSON.parse` refuses, a root
 * that is not an object, nesting beyond 64 levels, and a key that appears twice (after resolving its escapes) in the
 * root or in one of `levels`. With such a key the gateway might decide on one member and the platform on the other.
 */
export function readJsonDocument(bytes: Buffer, levels: JsonLevels = rootOnly): JsonDocument {
  const text = decodeText(bytes);
  const value = parseObject(text);
  return documentOf(text, value, readRootNode(text, levels));
}

/**
 * Reads the JSON text of an object that was accepted before. A repeated key is no longer refused: the last one counts. The platform
 * may write such keys as well.
 */
export function readStoredJson(text: string): JsonDocument {
  return documentOf(text, parseObject(text), readRootNode(text));
}

function documentOf(text: string, value: Record<string, unknown>, root: JsonNode): JsonDocument {
  const rangeOf = (path: JsonPath) => {
    const node = findNode(text, root, path);
    return node && { start: node.start, end: node.end };
  };
  const rawOf = (path: JsonPath) => {
    const node = findNode(text, root, path);
    return node && text.slice(node.start, node.end);
  };
  return { text, value, rangeOf, rawOf };
}

function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.startsWith('\ufeff')) throw invalid('The body starts with a byte order mark; send UTF-8 without one.');
  return text;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(syntaxMessage(text, error));
  }
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  return value;
}

/**
 * Describes a syntax error without quoting the text. The engine's own message can contain an excerpt of the body, and messages are
 * logged. Only wordings known to contain no excerpt are passed on.
 */
function syntaxMessage(text: string, error: unknown): string {
  if (/^[ \t\r\n]*$/.test(text)) return 'The body is empty; a JSON object is expected.';
  const reported = error instanceof SyntaxError ? error.message : '';
  const located = /^(.*?)(?: in| after) JSON at position \d+ \((line \d+ column \d+)\)$/.exec(reported);
  if (located) return `The body is not valid JSON: ${located[1]} (${located[2]}).`;
  const token = /^Unexpected token '(.)', /su.exec(reported);
  if (token) return `The body is not valid JSON: Unexpected character ${JSON.stringify(token[1])}.`;
  if (reported === 'Unexpected end of JSON input') return 'The body is not valid JSON: it ends too early.';
  return 'The body is not valid JSON.';
}
