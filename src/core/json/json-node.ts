import { type AppError, invalid } from '../errors.ts';
import type { JsonLevels } from './json-levels.ts';
import {
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  skipSeparator,
  skipSpace,
  skipString,
  skipValue,
  stringAt,
} from './skip-value.ts';

/** Path from the root to a value: keys of objects (strings) and positions in arrays (numbers). */
export type JsonPath = readonly (string | number)[];

/** Half-open range of offsets in a text, in UTF-16 code units as for `String.slice`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Range of a value. Its children are located on first use, so that each level is walked at most once. */
export interface JsonNode extends TextRange {
  children: Map<string | number, JsonNode> | undefined;
}

/**
 * Locates the root value of valid JSON text. With `levels`, the same walk ensures that no object at these levels has a repeated key
 * and that nesting is not too deep. Raises VALIDATION_ERROR otherwise.
 */
export function readRootNode(text: string, levels?: JsonLevels): JsonNode {
  return readNode(text, skipSpace(text, 0), 0, levels);
}

/** Finds the value at `path` below `root`. If a key repeats, the last one counts, as in `JSON.parse`. */
export function findNode(text: string, root: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    node.children ??= readChildren(text, node);
    node = node.children.get(step);
  }
  return node;
}

function readChildren(text: string, node: JsonNode): Map<string | number, JsonNode> {
  const code = text.charCodeAt(node.start);
  if (code === openBrace) return readObject(text, node.start, 0, undefined).children;
  if (code === openBracket) return readArray(text, node.start, 0, undefined).children;
  return new Map();
}

function readNode(text: string, start: number, depth: number, level: JsonLevels | undefined): JsonNode {
  if (level !== undefined) {
    const code = text.charCodeAt(start);
    if (code === openBrace) return readObject(text, start, depth, level);
    if (code === openBracket && level.elements !== undefined) return readArray(text, start, depth, level.elements);
  }
  return { start, end: skipValue(text, start, depth), children: undefined };
}

type Container = JsonNode & { children: Map<string | number, JsonNode> };

/** Reads an object. `depth` is the number of open containers around it; without a `level`, repeated keys are allowed. */
function readObject(text: string, start: number, depth: number, level: JsonLevels | undefined): Container {
  const children = new Map<string | number, JsonNode>();
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charCodeAt(at) !== closeBrace) {
    const keyEnd = skipString(text, at);
    const key = stringAt(text, at, keyEnd);
    if (level !== undefined && children.has(key)) throw duplicateKey(key, level);
    const colon = skipSpace(text, keyEnd);
    const child = readNode(text, skipSpace(text, colon + 1), depth + 1, level?.members.get(key));
    children.set(key, child);
    at = skipSeparator(text, child.end);
  }
  return { start, end: at + 1, children };
}

function readArray(text: string, start: number, depth: number, elements: JsonLevels | undefined): Container {
  const children = new Map<string | number, JsonNode>();
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const child = readNode(text, at, depth + 1, elements);
    children.set(children.size, child);
    at = skipSeparator(text, child.end);
  }
  return { start, end: at + 1, children };
}

function duplicateKey(key: string, level: JsonLevels): AppError {
  const shown = JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
  const place = level.name === '' ? 'the body' : `\`${level.name}\``;
  return invalid(`The key ${shown} appears more than once in ${place}.`);
}
