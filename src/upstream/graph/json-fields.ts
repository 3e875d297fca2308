import { isObject } from '../../core/json/index.ts';
import { storableText } from '../../core/storable-text.ts';

/** An untrusted JSON object. Read it with the functions below: they see own properties only and assume no shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses `text` as a JSON object; null if it is empty, not JSON, an array or a scalar. */
export function parseJsonObject(text: string): JsonObject | null {
  if (text === '') return null;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns `value` as a JSON object, or null. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** Returns the object under `key`, or null. */
export function objectField(from: JsonObject, key: string): JsonObject | null {
  return asObject(ownField(from, key));
}

/** Returns the array under `key`, or an empty one. */
export function arrayField(from: JsonObject, key: string): readonly unknown[] {
  const value = ownField(from, key);
  return Array.isArray(value) ? value : [];
}

/** Returns the string under `key`, storable; null if it is empty, absent or of another type. */
export function textField(from: JsonObject, key: string): string | null {
  const value = ownField(from, key);
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
}

/** Returns the finite number under `key`, from a number or from decimal digits in a string; else null. */
export function numberField(from: JsonObject, key: string): number | null {
  const value = ownField(from, key);
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Returns the id under `key`: a printable string unchanged, or an integer that JSON carried without loss; else null. */
export function idField(from: JsonObject, key: string): string | null {
  const value = ownField(from, key);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && /^[\x21-\x7e]{1,1024}$/.test(value) ? value : null;
}

/** Returns the raw value under `key`, or undefined. Never returns an inherited property. */
export function ownField(from: JsonObject, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
