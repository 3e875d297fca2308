import { isObject } from '../../core/json/index.ts';
import { storableText } from '../../core/storable-text.ts';

/** A JSON object of someone else's making. Read it through the functions below: own properties only, no assumption on shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object `text` spells, or null for anything else: empty, not JSON, an array, a scalar. */
export function parseJsonObject(text: string): JsonObject | null {
  if (text === '') return null;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** `value` as a JSON object, or null. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** The object under `key`, or null. */
export function objectField(from: JsonObject, key: string): JsonObject | null {
  return asObject(ownField(from, key));
}

/** The array under `key`, or an empty one. */
export function arrayField(from: JsonObject, key: string): readonly unknown[] {
  const value = ownField(from, key);
  return Array.isArray(value) ? value : [];
}

/** The string under `key`, storable, or null when it is empty, absent or something else. */
export function textField(from: JsonObject, key: string): string | null {
  const value = ownField(from, key);
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
}

/** The finite number under `key`, written as a number or as decimal digits in a string, or null. */
export function numberField(from: JsonObject, key: string): number | null {
  const value = ownField(from, key);
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The id under `key`: a printable string as it stands, or an integer that JSON carried without loss; else null. */
export function idField(from: JsonObject, key: string): string | null {
  const value = ownField(from, key);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && /^[\x21-\x7e]{1,1024}$/.test(value) ? value : null;
}

/** The raw value under `key`, or undefined; never something inherited. */
export function ownField(from: JsonObject, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
