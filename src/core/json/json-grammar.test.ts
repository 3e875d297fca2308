import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { readJsonDocument } from './json-document.ts';

/** The cases of a table row, separated by ` | `; escapes stay as spelled. */
function row(strings: TemplateStringsArray): string[] {
  return String.raw(strings).split(' | ');
}

/** Valid JSON values by the feature they exercise; each becomes a member of a root object. */
const values: Record<string, readonly string[]> = {
  literals: row`true | false | null`,
  integers: row`0 | -0 | 1 | -1 | 7 | 10 | 100 | 123456789 | 9007199254740993 | -9223372036854775808`,
  'large numbers': [...row`12345678901234567890 | 1e400 | -1e400 | 1E+309`, `1${'0'.repeat(400)}`],
  fractions: [...row`0.0 | -0.0 | 1.0 | 1.50 | 0.1 | 123.456 | 0.0000000000000000001`, `0.${'3'.repeat(300)}`],
  exponents: row`1e0 | 1E0 | 1e2 | 1E2 | 1e+2 | 1E+2 | 1e-2 | 0e0 | 0E+1 | -0e-0 | 1.5e10 | 4.9e-324 | 1e-400`,
  'plain strings': row`"" | "a" | " " | "a b" | "0" | "null" | "'" | "/" | "%00" | "$"`,
  'strings full of structure': row`"{" | "}" | "[" | "]" | "," | ":" | "{}[],:" | "{\"a\":1}" | "//" | "/* */"`,
  'short escapes': row`"\"" | "\\" | "\/" | "\b" | "\f" | "\n" | "\r" | "\t" | "\\\"" | "\\\\" | "\\\\\"" | "a\\"`,
  'unicode escapes': row`"\u0000" | "\u0022" | "\u005c" | "\u00e9" | "\u00E9" | "\u2028" | "\uffff" | "\uFEFF"`,
  'pairs of surrogates': row`"\ud83d\ude00" | "\uD83D\uDE00" | "\udbff\udfff"`,
  'lone surrogates': row`"\ud83d" | "\ude00" | "\ude00\ud83d" | "\ud83dx" | "\ud83d\u0041" | "\ud83d\ud83d\ude00"`,
  'raw unicode': ['"é"', '"日本"', '"😀"', '"e\u0301"', '"\u200d"', '"\u{10ffff}"', '"\uffff"', '"\ufeff"', '"\ufffd"'],
  'raw characters other formats forbid': ['"\u007f"', '"\u0080"', '"\u00a0"', '"\u2028\u2029"'],
  'strings around the short limit': [23, 24, 25, 26, 47, 48, 200].map((length) => `"${'x'.repeat(length)}"`),
  'escapes across the short limit': [21, 22, 23, 24, 25].map((length) => `"${'x'.repeat(length)}\\"\\\\"`),
  'long runs of escapes': ['\\\\', '\\"', '\\u0022', 'x\\"\\\\'].map((unit) => `"${unit.repeat(40)}"`),
  arrays: row`[] | [ ] | [0] | [[]] | [[],[]] | [1,2] | [ 1 , 2 ] | [null] | [""] | [{}] | [1,"a",null,{},[]]`,
  objects: row`{} | { } | {"":0} | {"a":{}} | {"a":[]} | {"a":1,"b":2} | { "a" : 1 , "b" : 2 } | {"\u0061":1}`,
  'all white space': ['[\n]', '{\t}', '[\r\n1\t,\r2 ]', '{\n"b"\r:\t1 }'],
  'keys that objects inherit': row`{"__proto__":1} | {"__proto__":{"a":1}} | {"constructor":1} | {"toString":1,"valueOf":2}`,
  'repeated keys where we do not read': row`{"a":1,"a":2} | {"a":1,"\u0061":2} | [{"a":1,"a":1}]`,
};

const documents = [
  ...row`{} | { } |  {} | {"":""} | {"a":1} |  { "a" : 1 }  | {"a":1,"A":2} | {"a":1,"a ":2} | {"1":1,"0":2,"01":3}`,
  ...row`{"__proto__":{"to":1}} | {"*":1,"a.b":2} | {"é":1,"É":2} | {"\u00e9":1,"e\u0301":2}`,
  '\t\r\n {} \t\r\n',
  '\n{\n\t"a"\n:\n1\n,\n"b"\n:\n2\n}\n',
  `{${Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join(',')}}`,
  `{"${'k'.repeat(5000)}":"${'v'.repeat(5000)}"}`,
  `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`,
  `{"a":${'['.repeat(63)}${']'.repeat(63)}}`,
];

/** Invalid text in the place of a value. */
const brokenValues: Record<string, readonly string[]> = {
  'nothing there': ['', ' ', ',', ':'],
  'literals misspelt': row`nul | nulll | NULL | None | True | TRUE | tru | falsy | undefined | nil`,
  'numbers JavaScript has': row`NaN | -NaN | Infinity | -Infinity | 0x10 | 0b1 | 0o7 | 1_000 | 10n`,
  'signs out of place': row`+1 | --1 | - | - 1 | 1- | + | -a`,
  'leading zeros': row`01 | -01 | 00 | -00 | 012 | 00.1`,
  'fractions cut short': row`1. | .1 | -.1 | . | 1..1 | 1.1.1 | 1.e1 | 0.e1 | .e1`,
  'exponents cut short': row`1e | 1E | 1e+ | 1E- | 1e1.1 | 1ee1 | 1e e1 | e1 | 1e+-1`,
  'numbers with foreign characters': row`1a | 1 2 | 1,2 | 1.0f | 1 000 | １ | ١ | ½ | 1;`,
  'strings in other quotes': row`'a' | “a” | a | ''`,
  'strings left open': [...row`" | "a | "\" | "a\ | "a\\\"`, `"${'x'.repeat(40)}`, `"${'\\"'.repeat(40)}`],
  'unknown escapes': row`"\a" | "\x41" | "\0" | "\'" | "\U0041" | "\ " | "\é" | "\v"`,
  'unicode escapes cut short': row`"\u" | "\u1" | "\u12" | "\u123" | "\u123g" | "\u{61}" | "\u 061" | "\ud83d\u"`,
  'control characters': ['"\u0000"', '"\u0001"', '"\n"', '"\r"', '"\t"', '"\u001f"', '\u0000', '"a\u0008"', '"\\\n"'],
  'arrays out of shape': row`[ | ] | [1 | [1, | [1,] | [,1] | [,] | [1,,2] | [1 2] | [1;2] | [1:2] | [1} | [[] | []] | ["a"`,
  'objects out of shape': row`{ | } | {"b" | {"b": | {"b":1 | {"b":1, | {"b":1,} | {,} | {"b"} | {"b":} | {"b",1} | {"b":1]`,
  'keys that are no strings': row`{b:1} | {'b':1} | {1:1} | {null:1} | {[]:1} | {"b"c:1} | {:1}`,
  'colons and commas': row`{"b"::1} | {"b" 1} | {"b"=1} | {"b":1 "c":2} | {"b":1,,"c":2} | {"b":1;"c":2} | {"b":1:2}`,
  comments: row`1// | 1 /* */ | /**/1 | #1 | 1 # x | <!-- -->1 | {"b":/*x*/1}`,
  'foreign white space': ['\u00a01', '\u000b1', '\u000c1', '\u20281', '\u30001', '\ufeff1', '\u00851', '1\u00a0'],
};

const brokenDocuments = [
  ...row`{}{} | {} {} | {}, | {}] | {}} | {}# | {"a":1}x | {"a":1 | {"a":1] | { | } | {"a":1,} | {,"a":1} | ({}) | a={}`,
  ...row`{}// | to=%2B15550001111&type=text | <xml/> | --boundary`,
  ...['{}\u0000', '{}\u00a0', '\u000b{}', ")]}'\n{}"],
];

const otherRoots = row`[] | [{}] | null | true | false | 0 | -1.5e3 | "" | "{}" |  [ ]  | [{"a":1}]`;

/** Invalid UTF-8 bytes, in hexadecimal, inside a string. */
const brokenBytes: Record<string, readonly string[]> = {
  'stray continuations': row`80 | bf | 6180 | c3a9a9`,
  'sequences cut short': row`c3 | e282 | f09f98 | c361 | e228a1 | f0288cbc`,
  'longer than needed': row`c080 | c0af | c1bf | e080af | f08080af`,
  'surrogates in UTF-8': row`eda080 | edbfbf | eda0bdedb880`,
  'beyond Unicode': row`f4908080 | f5808080 | fe | ff | f888808080`,
  'other encodings': row`e9 | fc626572 | 93e0967b`,
};

/** The refusal's message; undefined if the body is accepted. */
function refusalOf(body: Buffer): string | undefined {
  try {
    readJsonDocument(body);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'VALIDATION_ERROR');
    return error.message;
  }
}

function assertNotJson(text: string, kind: string): void {
  assert.match(refusalOf(Buffer.from(text)) ?? 'accepted', /^The body is not valid JSON/, `${kind}: ${text}`);
}

test('json grammar: every kind of value → accepted with its bytes unchanged', () => {
  for (const [kind, raws] of Object.entries(values)) {
    for (const raw of raws) {
      const document = readJsonDocument(Buffer.from(`{"a": ${raw} , "z":0}`));
      assert.equal(document.rawOf(['a']), raw, kind);
      assert.deepEqual(document.value, JSON.parse(document.text), kind);
    }
  }
});

test('json grammar: every shape of an object → accepted with its bytes unchanged', () => {
  for (const text of documents) {
    const document = readJsonDocument(Buffer.from(text));
    assert.equal(document.text, text);
    assert.equal(document.rawOf([]), text.trim());
    assert.deepEqual(document.value, JSON.parse(text));
  }
});

test('json grammar: invalid JSON anywhere in a body → refused', () => {
  for (const [kind, raws] of Object.entries(brokenValues)) {
    for (const raw of raws) {
      assertNotJson(`{"a":${raw}}`, kind);
      assertNotJson(`{"a":[{"b":${raw}}],"c":0}`, kind);
    }
  }
  for (const text of brokenDocuments) assertNotJson(text, 'document');
});

test('json grammar: root that is no object → refused as such', () => {
  for (const text of otherRoots) assert.equal(refusalOf(Buffer.from(text)), 'The body must be a JSON object.', text);
});

test('json grammar: bytes that are not UTF-8 → refused instead of replaced', () => {
  for (const [kind, sequences] of Object.entries(brokenBytes)) {
    for (const sequence of sequences) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(sequence, 'hex'), Buffer.from('"}')]);
      assert.equal(refusalOf(body), 'The body is not valid UTF-8.', `${kind}: ${sequence}`);
    }
  }
});
