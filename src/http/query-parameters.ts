import { invalid } from '../core/errors.ts';
import { NUMERIC_ID } from './text-patterns.ts';

const NUMBER_ID = new RegExp(NUMERIC_ID);

/** Query string as it arrives: a repeated name has a list. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the one value of `name`; undefined if it is absent or empty. Raises VALIDATION_ERROR if it is repeated. */
export function readText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw invalid(`"${name}" may be given once.`);
  return value === '' ? undefined : value;
}

/** Returns the first value of `name`; undefined if it is absent or empty. For calls of the Cloud API, which accepts repeated names. */
export function readFirstText(query: Query, name: string): string | undefined {
  return [query[name]].flat()[0] || undefined;
}

/** Returns the same as `readText`, for values that must match `pattern`; `wanted` names the expected kind. Raises VALIDATION_ERROR. */
export function readMatching(query: Query, name: string, pattern: RegExp, wanted: string): string | undefined {
  const value = readText(query, name);
  if (value !== undefined && !pattern.test(value)) throw invalid(`"${name}" must be ${wanted}.`);
  return value;
}

/** Returns the numeric id of a sending number; undefined if absent. Raises VALIDATION_ERROR. */
export function readNumberId(query: Query, name: string): string | undefined {
  return readMatching(query, name, NUMBER_ID, 'the numeric ID of a sending number');
}

/** Returns a whole number within bounds; `fallback` if absent. Raises VALIDATION_ERROR. */
export function readInteger(
  query: Query,
  name: string,
  bounds: { min: number; max: number; fallback: number },
): number {
  const value = readText(query, name);
  if (value === undefined) return bounds.fallback;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= bounds.min && number <= bounds.max) return number;
  throw invalid(`"${name}" must be a whole number from ${bounds.min} to ${bounds.max}.`);
}

/** Returns a time in ISO 8601 with its offset from UTC, as epoch ms. Raises VALIDATION_ERROR. */
export function readTime(query: Query, name: string): number | undefined {
  const value = readText(query, name);
  if (value === undefined) return undefined;
  // A plus sign that was not percent-encoded arrives as a space.
  const spelled = value.replace(/ (?=\d{2}:?\d{2}$)/, '+');
  return momentOf(name, spelled);
}

/**
 * Returns `text` as epoch ms. Raises VALIDATION_ERROR unless it is a time in ISO 8601 with its offset from UTC, on a day that its month
 * has.
 */
export function momentOf(name: string, text: string): number {
  const epochMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  const day = text.slice(0, 10);
  // The parser reads 31 November as 1 December.
  if (Number.isNaN(epochMs) || !new Date(`${day}T00:00Z`).toISOString().startsWith(day)) {
    throw invalid(`"${name}" must be a time like 2026-11-02T10:00:00Z.`);
  }
  return epochMs;
}

/** Returns the values of a name that may be repeated or hold several, separated by commas; undefined if it is absent. */
export function readList(query: Query, name: string): string[] | undefined {
  const value = query[name];
  const words = [value ?? []].flat().flatMap((part) => part.split(',').filter((word) => word !== ''));
  return words.length === 0 ? undefined : words;
}

/**
 * Returns the members that a comma-separated `fields` parameter of the Cloud API names. Skips their inner fields, in braces or behind a
 * dot.
 */
export function fieldNames(fields: string): string[] {
  let depth = 0;
  const topLevel = [...fields].filter((character) => {
    if (character === '}') depth = Math.max(0, depth - 1);
    const isTopLevel = depth === 0 && character !== '}';
    if (character === '{') depth += 1;
    return isTopLevel && character !== '{';
  });
  return topLevel
    .join('')
    .split(',')
    .map((name) => name.trim().replace(/[.(].*$/s, ''));
}
