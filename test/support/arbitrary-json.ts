import fc from 'fast-check';
import type { JsonPath } from '../../src/core/json/json-node.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';

/** The content of a generated document, before its spelling is chosen. A scalar is its spelling. */
export type Json =
  | { scalar: string }
  | { string: string }
  | { array: Json[] }
  | { object: [key: string, value: Json][] };

/** One value as spelled, without surrounding white space, with the values inside it. */
export interface Spelled {
  raw: string;
  children: Map<string | number, Spelled>;
}

/** Picks an integer from 0 up to, but not including, `bound`. */
export type PickBelow = (bound: number) => number;

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(24).map((text) => text.replace(/^0+(?=.)/, '')),
    fc.option(
      digits(20).map((text) => `.${text}`),
      { nil: '' },
    ),
    fc.option(
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits(3)).map((parts) => parts.join('')),
      { nil: '' },
    ),
  )
  .map((parts) => parts.join(''));
const characters = fc.constantFrom(
  ...['a', 'b', 'Z', '0', ' ', '{', '}', '[', ']', ':', ',', '"', '\\', '/', '\n', '\t', '\u0000', '\u001f', '\u007f'],
  ...['é', 'e\u0301', '日', '😀', '\ud83d', '\ude00', '\u2028', '\ufeff', '\uffff'],
);
export const strings = fc.string({ unit: characters, maxLength: 40 });
const keys = fc.oneof(fc.constantFrom('a', 'b', 'to', 'text', '__proto__', '0', ''), strings);

export const { json, object } = fc.letrec<{ json: Json; object: Extract<Json, { object: unknown }> }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.oneof(numbers, fc.constantFrom('true', 'false', 'null', '-0', '1.0', '1E2')).map((scalar) => ({ scalar })),
    strings.map((text) => ({ string: text })),
    fc.array(tie('json'), { maxLength: 5 }).map((array) => ({ array })),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(keys, tie('json')), { maxLength: 6, selector: ([key]) => key })
    .map((members) => ({ object: members })),
}));

export const spellingSeeds = fc.integer();

/** Returns the same picks for the same seed, so that fast-check can replay and shrink a spelling. */
export function seededPick(seed: number): PickBelow {
  const random = seededRandom(seed);
  return (bound) => random.between(0, bound - 1);
}

/** Spells a value with escapes and white space chosen by `pick`. */
export function spell(value: Json, pick: PickBelow): Spelled {
  const children = new Map<string | number, Spelled>();
  if ('scalar' in value) return { raw: value.scalar, children };
  if ('string' in value) return { raw: spellString(value.string, pick), children };
  if ('array' in value) {
    const elements = value.array.map((element, index) => {
      const child = spell(element, pick);
      children.set(index, child);
      return spellSpace(pick) + child.raw + spellSpace(pick);
    });
    return { raw: `[${elements.join(',') || spellSpace(pick)}]`, children };
  }
  const members = value.object.map(([key, member]) => {
    const child = spell(member, pick);
    children.set(key, child);
    const parts = [spellString(key, pick), ':', child.raw].map((part) => spellSpace(pick) + part);
    return parts.join('') + spellSpace(pick);
  });
  return { raw: `{${members.join(',') || spellSpace(pick)}}`, children };
}

function spellString(text: string, pick: PickBelow): string {
  const units = Array.from(text, (character) => {
    if (character.isWellFormed() && pick(4) > 0) return JSON.stringify(character).slice(1, -1);
    if (character === '/') return '\\/';
    const escaped = character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return pick(2) === 0 ? escaped.join('') : escaped.join('').toUpperCase().replaceAll('U', 'u');
  });
  return `"${units.join('')}"`;
}

export function spellSpace(pick: PickBelow): string {
  return ['', '', '', '', ' ', '\n', '\t', '\r\n    '][pick(8)] ?? '';
}

/** Returns the same value with the members of every object in another order. */
export function shuffleKeys(value: Json, pick: PickBelow): Json {
  if ('array' in value) return { array: value.array.map((element) => shuffleKeys(element, pick)) };
  if (!('object' in value)) return value;
  const members = value.object.map(([key, member]): [string, Json] => [key, shuffleKeys(member, pick)]);
  for (let last = members.length - 1; last > 0; last--) members.push(...members.splice(pick(last + 1), 1));
  return { object: members };
}

/** Yields the value and all values inside it, each with its path. */
export function* walk(value: Spelled, path: JsonPath = []): Generator<[JsonPath, Spelled]> {
  yield [path, value];
  for (const [step, child] of value.children) yield* walk(child, [...path, step]);
}
