import { GraphError } from '../graph/graph-errors.ts';
import { asObject, asObjects, type JsonObject } from '../graph/json-object.ts';

/** Returns error 131008 with the parameter's path. */
export function missing(path: string): GraphError {
  return new GraphError(131008, { details: `Parameter ${path} is missing.` });
}

/** Returns error 131009 with an explanation. */
export function invalid(details: string): GraphError {
  return new GraphError(131009, { details });
}

/** Counts characters rather than UTF-16 units; the platform does not define which of them it counts. */
export function charsIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Reads a non-empty string of at most `charsMax` characters. */
export function requireText(parent: JsonObject, key: string, path: string, charsMax?: number): string {
  const text = optionalText(parent, key, path, charsMax);
  if (text === undefined || text === '') throw missing(`${path}.${key}`);
  return text;
}

/** Reads a string of at most `charsMax` characters, if present. */
export function optionalText(parent: JsonObject, key: string, path: string, charsMax?: number): string | undefined {
  const value = parent[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${path}.${key} must be a string.`);
  if (charsMax !== undefined && value.length > charsMax && charsIn(value) > charsMax) {
    throw invalid(`${path}.${key} must be at most ${charsMax} characters long.`);
  }
  return value;
}

export function requireObject(parent: JsonObject, key: string, path: string): JsonObject {
  const value = asObject(parent[key]);
  if (value !== undefined) return value;
  throw parent[key] === undefined ? missing(`${path}.${key}`) : invalid(`${path}.${key} must be an object.`);
}

/** Reads an array of `min` to `max` objects. */
export function requireList(parent: JsonObject, key: string, path: string, min: number, max: number): JsonObject[] {
  const value = parent[key];
  if (value === undefined) throw missing(`${path}.${key}`);
  if (!Array.isArray(value)) throw invalid(`${path}.${key} must be an array.`);
  if (value.length < min || value.length > max) throw invalid(`${path}.${key} must have ${min} to ${max} members.`);
  return asObjects(value);
}

export function requireUnique(values: readonly unknown[], what: string): void {
  if (new Set(values).size !== values.length) throw invalid(`${what} must be unique.`);
}

export function requireHttpUrl(parent: JsonObject, key: string, path: string): string {
  const url = requireText(parent, key, path);
  if (!/^https?:\/\/[^\s/]/i.test(url)) throw invalid(`${path}.${key} is not a valid http or https URL.`);
  return url;
}
