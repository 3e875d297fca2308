import { invalid } from '../core/errors.ts';

/** A query string as it arrives: a name that stands several times has a list. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** The one value of `name`, or undefined when it is absent or empty. Raises VALIDATION_ERROR when it stands several times. */
export function readText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw invalid(`"${name}" may be given once.`);
  return value === '' ? undefined : value;
}

/** The first value of `name`, or undefined when that is absent or empty: for the Cloud API's calls, which take no offence at more. */
export function readFirstText(query: Query, name: string): string | undefined {
  return [query[name]].flat()[0] || undefined;
}

/** Like `readText`, for values that must match `pattern`; `wanted` says of what kind they are. */
export function readMatching(query: Query, name: string, pattern: RegExp, wanted: string): string | undefined {
  const value = readText(query, name);
  if (value !== undefined && !pattern.test(value)) throw invalid(`"${name}" must be ${wanted}.`);
  return value;
}

/** A whole number within bounds, `fallback` when absent. Raises VALIDATION_ERROR. */
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

/** A moment in ISO 8601 with its offset from UTC, as epoch ms. Raises VALIDATION_ERROR. */
export function readTime(query: Query, name: string): number | undefined {
  const value = readText(query, name);
  if (value === undefined) return undefined;
  // A plus sign that was not percent-encoded arrives as a space.
  const spelled = value.replace(/ (?=\d{2}:?\d{2}$)/, '+');
  return momentOf(name, spelled);
}

/** `text` as epoch ms. Raises VALIDATION_ERROR unless it is a moment in ISO 8601 with its offset from UTC, on a day that its month has. */
export function momentOf(name: string, text: string): number {
  const epochMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  const day = text.slice(0, 10);
  // What is parsed on 31 November is a moment of 1 December.
  if (Number.isNaN(epochMs) || !new Date(`${day}T00:00Z`).toISOString().startsWith(day)) {
    throw invalid(`"${name}" must be a time like 2026-11-02T10:00:00Z.`);
  }
  return epochMs;
}

/** The values of a name that may stand several times or hold several, separated by commas; undefined when it is absent. */
export function readList(query: Query, name: string): string[] | undefined {
  const value = query[name];
  const words = [value ?? []].flat().flatMap((part) => part.split(',').filter((word) => word !== ''));
  return words.length === 0 ? undefined : words;
}

/** The members a Cloud API `fields` parameter names, comma separated; what is asked for inside one, in braces or behind a dot, is passed over. */
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
