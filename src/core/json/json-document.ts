import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';
import { isObject } from './is-object.ts';
import { type JsonLevels, jsonLevels } from './json-levels.ts';
import { findNode, type JsonNode, type JsonPath, readRootNode, type TextRange } from './json-node.ts';

/** A client's JSON object: a view to decide on and the exact text to forward (api-rules#bodies). */
export interface JsonDocument {
  /** The body exactly as sent. */
  readonly text: string;
  /**
   * What `JSON.parse` makes of `text`: plain objects whose own properties are the members, one named `__proto__`
   * included. Look up a key that comes from outside with `Object.hasOwn` first.
   */
  readonly value: Readonly<Record<string, unknown>>;
  /** Where the value at `path` stands in `text`; the root for an empty path. Of a repeated key the last counts. */
  rangeOf(path: JsonPath): TextRange | undefined;
  /** The text of the value at `path`, byte for byte as sent. */
  rawOf(path: JsonPath): string | undefined;
}

const rootOnly = jsonLevels();

/**
 * Reads a request body as a JSON object. Time and memory are linear in the size of `bytes`, whatever they hold.
 *
 * Throws VALIDATION_ERROR for an empty body, a byte order mark, invalid UTF-8, anything `JSON.parse` refuses, a root
 * that is not an object, nesting beyond 64 levels, and a key that stands twice (after resolving its escapes) in the
 * root or in one of `levels`: we would decide on one of the two, the upstream perhaps on the other.
 */
export function readJsonDocument(bytes: Buffer, levels: JsonLevels = rootOnly): JsonDocument {
  const text = decodeText(bytes);
  const value = parseObject(text);
  return documentOf(text, value, readRootNode(text, levels));
}

/**
 * Reads JSON text that was taken in before, an object. A key that stands twice is no reason to refuse it any more: the last counts,
 * also where the upstream wrote it.
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
 * What is wrong with the text, without quoting it: the engine's own message can hold an excerpt of the body, and
 * messages are logged. Only the wordings known to be free of one are passed on.
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
