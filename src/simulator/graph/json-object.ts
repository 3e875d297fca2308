import { isObject } from '../../core/json/index.ts';

/** A parsed JSON object whose members nobody has looked at yet. */
export type JsonObject = Record<string, unknown>;

/** `value` as an object, or undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** `value` as an array of objects; members of another kind become empty objects so that their checks fail by field. */
export function asObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map((member) => asObject(member) ?? {}) : [];
}

/** `value` as a string, or undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
