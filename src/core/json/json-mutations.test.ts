import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { object, seededPick, spell, spellingSeeds } from '../../../test/support/arbitrary-json.ts';
import { AppError } from '../errors.ts';
import { readJsonDocument } from './json-document.ts';

/** The expected outcome for a body, derived from tokens instead of offsets. */
function expectedOutcome(bytes: Buffer): RegExp | undefined {
  if (!isUtf8(bytes)) return /not valid UTF-8/;
  const text = bytes.toString();
  if (text.startsWith('\ufeff')) return /byte order mark/;
  if (/^[ \t\r\n]*$/.test(text)) return /is empty/;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return /not valid JSON/;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return /must be a JSON object/;
  let depth = 0;
  let before = '';
  const rootKeys: string[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    // Parses key by key: once V8 has seen the key "\\" in an object, it mistakes an escaped key of one character there for it.
    else if (token === ':' && depth === 1) rootKeys.push(JSON.parse(before));
    before = token;
  }
  return rootKeys.length === new Set(rootKeys).size ? undefined : /more than once/;
}

interface Insertion {
  text: string;
  after: RegExp;
}

interface Edit {
  at: number;
  dropped: number;
  insertion: Insertion;
}

const hostile = [
  ...'{ } [ ] , : " \\ \\" \\u - + . e 0 "a" {} null {"b":[ ]} // \''.split(' '),
  ...['\u0000', '\u000b', '\u00a0', '\u2028', '\ufeff', 'é', '\u{10ffff}'],
];

/** Insertions after a kind of token: harmless ones, so that both outcomes are common, and hostile ones anywhere. */
const insertions: fc.Arbitrary<Insertion> = fc.oneof(
  fc.constantFrom(' ', '\n', '\t\r').map((text) => ({ text, after: /^/ })),
  fc.constantFrom('"a":1,', '"\\u0061":[],', '"to":{} ,', '"":-0,', '"z":"",').map((text) => ({ text, after: /^\{$/ })),
  fc.constantFrom('1,', '[],', '{"b":0},', '""\n,').map((text) => ({ text, after: /^\[$/ })),
  fc.constantFrom(...hostile).map((text) => ({ text, after: /^/ })),
);
const edits = fc.array(
  fc.record({ at: fc.noBias(fc.nat()), dropped: fc.constantFrom(0, 0, 0, 0, 0, 1), insertion: insertions }),
  { minLength: 1, maxLength: 3 },
);
const brokenByte = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 9 },
  { arbitrary: fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), weight: 1 },
);

/** Applies each edit after one of the tokens it fits, or at the very start. */
function mutate(text: string, changes: Edit[]): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[-+.\w]+|\s+|./gs) ?? [];
  for (const { at, dropped, insertion } of changes) {
    const places = ['', ...tokens].flatMap((before, index) => (insertion.after.test(before) ? [index] : []));
    const place = places[at % places.length] ?? 0;
    tokens.splice(place, dropped, insertion.text);
  }
  return tokens.join('');
}

test('json mutations: mutated body → accepted only if JSON.parse and our rules accept it', (t) => {
  const outcomes: Record<string, number> = {};
  const property = fc.property(object, spellingSeeds, edits, brokenByte, (value, seed, changes, broken) => {
    const body = Buffer.from(mutate(spell(value, seededPick(seed)).raw, changes));
    if (broken !== undefined) body[broken.at % body.length] = broken.byte;

    const expected = expectedOutcome(body);
    const outcome = expected?.source ?? 'accepted';
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (expected === undefined) {
      assert.equal(readJsonDocument(body).text, body.toString());
      return;
    }
    assert.throws(
      () => readJsonDocument(body),
      (error) => error instanceof AppError && error.code === 'VALIDATION_ERROR' && expected.test(error.message),
    );
  });
  fc.assert(property, { numRuns: 10_000 });
  t.diagnostic(JSON.stringify(outcomes));
});
