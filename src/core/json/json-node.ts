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

/** From the root to a value: keys of objects (strings) and positions in arrays (numbers). */
export type JsonPath = readonly (string | number)[];

/** Half-open range of offsets in a text, in UTF-16 code units as for `String.slice`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Where a value stands. What is inside it is found when first asked for, so that each level is walked at most once. */
export interface JsonNode extends TextRange {
  children: Map<string | number, JsonNode> | undefined;
}

/**
 * The root value of valid JSON text. With `levels` given, the same walk makes sure that no object named there has a
 * key twice and that nothing is nested too deeply; throws VALIDATION_ERROR otherwise.
 */
export function readRootNode(text: string, levels?: JsonLevels): JsonNode {
  return readNode(text, skipSpace(text, 0), 0, levels);
}

/** The value at `path` below `root`. Of a key that stands twice the last counts, as it does for `JSON.parse`. */
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

/** `depth` is the number of containers open around this one; without a `level`, repeated keys are let through. */
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
