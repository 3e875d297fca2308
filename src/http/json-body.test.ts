import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { checkShape } from './json-body.ts';
import { NO_NUL, NUMERIC_ID, ONE_LINE, PHONE_NUMBER, PRINTABLE } from './text-patterns.ts';

const closed = { additionalProperties: false };
const schema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1 })),
    word: Type.Optional(Type.Enum(['one', 'two'])),
    always: Type.Optional(Type.Literal(true)),
    list: Type.Optional(Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()])),
    rate: Type.Optional(Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()])),
  },
  closed,
);
const choice = Type.Union([
  Type.Object({ id: Type.String() }, closed),
  Type.Object({ from: Type.String({ pattern: '^t' }) }, closed),
]);
const wideChoice = Type.Union(['one', 'two', 'three'].map((name) => Type.Object({ [name]: Type.String() }, closed)));

describe('message about a body of the wrong shape', () => {
  const cases: [TSchema, unknown, string][] = [
    [schema, { name: 5 }, '"name" must be string.'],
    [schema, { other: 1 }, 'The body must not have "other".'],
    [
      schema,
      { nmae: 'x', ['y'.repeat(80)]: 1, c: 1, d: 1 },
      `The body must not have "nmae", "${'y'.repeat(64)}…", "c".`,
    ],
    [schema, { word: 'three' }, '"word" must be one of one, two.'],
    [schema, { always: false }, '"always" must be true.'],
    [schema, { list: [] }, '"list" must not have fewer than 1 items.'],
    [schema, { list: 'a' }, '"list" must be array.'],
    [schema, { list: ['a', 7] }, '"list.1" must be string.'],
    [schema, { rate: 0 }, '"rate" must be > 0.'],
    [choice, {}, 'The body must have "id", or must have "from".'],
    [
      wideChoice,
      { other: 1 },
      'The body must have "one", or must not have "other", or must have "two", or must have "three".',
    ],
    [choice, { from: 'x' }, '"from" must match pattern "^t".'],
    ...(
      [
        [NO_NUL, 'a\0', 'must be text without NUL'],
        [ONE_LINE, 'a\n', 'must be one line of text, without control characters'],
        [PRINTABLE, 'a\n', 'must be printable ASCII without white space'],
        [NUMERIC_ID, '+1', 'must be a numeric ID'],
        [PHONE_NUMBER, '+1 202 555', 'must be a phone number in digits'],
      ] as const
    ).map(([pattern, text, words]): [TSchema, unknown, string] => [
      Type.Object({ text: Type.String({ pattern }) }),
      { text },
      `"text" ${words}.`,
    ]),
  ];
  for (const [wanted, value, message] of cases) {
    it(`${JSON.stringify(value)} → the first problem is named`, () => {
      assert.throws(() => checkShape(wanted, value), { code: 'VALIDATION_ERROR', message });
    });
  }
});
