import type { JsonObject } from '../graph/json-object.ts';

/** Returns the members that are not undefined. */
export function present<Seed extends object>(members: { [Key in keyof Seed]?: Seed[Key] | undefined }): Partial<Seed> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Seed>;
}

/** Reads a member that must be a non-empty string; a number becomes its digits. */
export function textFromWire(body: JsonObject, key: string): string {
  const value = body[key];
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') throw new Error(`"${key}" is required.`);
  return value;
}

/** Reads a member that must be one of `words`. */
export function oneOf<Word extends string>(body: JsonObject, key: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === body[key]);
  if (word === undefined) throw new Error(`"${key}" must be one of ${words.join(', ')}.`);
  return word;
}

/** Returns `value` if it is a number. */
export const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Returns `value` if it is a boolean. */
export const booleanOf = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
