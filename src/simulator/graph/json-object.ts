import { isObject } from '../../core/json/index.ts';

/** A parsed JSON object with unchecked members. */
export type JsonObject = Record<string, unknown>;

/** Returns `value` as an object, or undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns `value` as an array of objects. Members of another kind become empty objects, so that their checks fail by field. */
export function asObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map((member) => asObject(member) ?? {}) : [];
}

/** Returns `value` as a string, or undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
