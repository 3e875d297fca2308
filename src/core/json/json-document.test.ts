import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../errors.ts';
import { readJsonDocument } from './json-document.ts';
import { jsonLevels } from './json-levels.ts';

const levels = jsonLevels('text', 'template.language', 'context', 'components.*.example');

function read(text: string) {
  return readJsonDocument(Buffer.from(text), levels);
}

function refusal(message: string | RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'VALIDATION_ERROR');
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  };
}

describe('refusal of a body', () => {
  const messages: readonly [what: string, body: string | Buffer, message: string | RegExp][] = [
    ['an empty body', '', 'The body is empty; a JSON object is expected.'],
    ['a body of white space', ' \r\n\t', 'The body is empty; a JSON object is expected.'],
    ['a byte order mark', '\ufeff{}', /byte order mark/],
    ['a UTF-16 body with a byte order mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'The body is not valid UTF-8.'],
    ['a UTF-16 body without one', Buffer.from('{"a":1}', 'utf16le'), /^The body is not valid JSON/],
    ['a missing comma', '{"a":1\n"b":2}', /^The body is not valid JSON: Expected ',' .* \(line 2 column 1\)\.$/],
    ['a trailing comma', '{"a":1,}', /property name \(line 1 column 8\)\.$/],
    ['a placeholder left unfilled', '{"a":{{name}}}', /property name or '}' \(line 1 column 7\)\.$/],
    ['a bare word', '{"a":NaN}', 'The body is not valid JSON: Unexpected character "N".'],
    ['text after the end', '{} x', /after|non-whitespace/],
    ['a body cut off', '{"a":', 'The body is not valid JSON: it ends too early.'],
    ['an array', '[{}]', 'The body must be a JSON object.'],
  ];
  for (const [what, body, message] of messages) {
    test(`${what} → says so`, () => {
      assert.throws(() => readJsonDocument(Buffer.from(body)), refusal(message));
    });
  }
});

test('refusal of a body: malformed JSON → quotes at most one character', () => {
  const secret = 'canary';
  const bodies = [`{"a":${secret}}`, `${secret}`, `{"${secret}":1 1}`, `{"a":"${secret}`, `{"a":"${secret}\n"}`];
  for (const body of bodies) {
    assert.throws(
      () => read(body),
      (error) => error instanceof AppError && !error.message.includes('anary') && error.cause === undefined,
    );
  }
});

describe('repeated keys', () => {
  const refused: readonly [body: string, message: string][] = [
    ['{"to":1,"to":1}', 'The key "to" appears more than once in the body.'],
    ['{"to":1,"x":2,"t\\u006f":1}', 'The key "to" appears more than once in the body.'],
    ['{"":1,"":2}', 'The key "" appears more than once in the body.'],
    ['{"__proto__":1,"__proto__":2}', 'The key "__proto__" appears more than once in the body.'],
    ['{"\\ud83d":1,"\\uD83D":2}', 'The key "\\ud83d" appears more than once in the body.'],
    ['{"text":{"body":"a","body":"b"}}', 'The key "body" appears more than once in `text`.'],
    ['{"t\\u0065xt":{"body":"a","body":"b"}}', 'The key "body" appears more than once in `text`.'],
    ['{"text":{"body":"a","body":"b"},"text":1}', 'The key "body" appears more than once in `text`.'],
    ['{"template":{"name":1,"name":2}}', 'The key "name" appears more than once in `template`.'],
    ['{"template":{"language":{"code":1,"code":2}}}', 'The key "code" appears more than once in `template.language`.'],
    ['{"components":[0,{"type":1,"type":2}]}', 'The key "type" appears more than once in `components.*`.'],
    [
      '{"components":[{},{"example":{"header_handle":[],"header_handle":[]}}]}',
      'The key "header_handle" appears more than once in `components.*.example`.',
    ],
  ];
  for (const [body, message] of refused) {
    test(`in ${body} → refused`, () => assert.throws(() => read(body), refusal(message)));
  }

  const accepted = [
    '{"other":{"a":1,"a":2}}',
    '{"text":[{"a":1,"a":2}]}',
    '{"text":{"deeper":{"a":1,"a":2}}}',
    '{"language":{"code":1,"code":2}}',
    '{"components":{"*":{"a":1,"a":2}}}',
    '{"components":[[{"a":1,"a":2}]]}',
    '{"toString":{"a":1,"a":2},"__proto__":{"a":1,"a":2}}',
    '{"text":"a","template":null,"context":[],"components":{}}',
  ];
  for (const body of accepted) {
    test(`in ${body} → left to the platform`, () => assert.equal(read(body).text, body));
  }

  test('long key → named without repeating it in full', () => {
    const key = 'k'.repeat(10_000);
    assert.throws(() => read(`{"${key}":1,"${key}":2}`), refusal(/^The key "k{64}…" appears/));
  });
});

describe('nesting', () => {
  const nested = (depth: number, open: string, close: string) =>
    `{"a":${open.repeat(depth - 1)}0${close.repeat(depth - 1)}}`;

  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"b":', '}]'],
  ] as const) {
    const levelsPerStep = open.length === 6 ? 2 : 1;
    const steps = 63 / levelsPerStep;

    test(`64 levels of ${open} → accepted`, () => {
      const document = read(nested(Math.floor(steps) + 1, open, close));
      assert.equal(document.rawOf([]), document.text);
    });

    test(`more than 64 levels of ${open} → refused`, () => {
      assert.throws(
        () => read(nested(Math.floor(steps) + 2, open, close)),
        refusal('The body is nested more than 64 levels deep.'),
      );
    });
  }

  test('levels below those the gateway reads → counted as well', () => {
    const body = (depth: number) => `{"template":{"language":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
    assert.equal(read(body(64)).text, body(64));
    assert.throws(() => read(body(65)), refusal(/64 levels/));
  });

  test('brackets inside strings → not counted', () => {
    const body = `{"a":"${'[{'.repeat(500)}"}`;
    assert.equal(read(body).text, body);
  });
});

describe('ranges', () => {
  const text = ' {"a" : [ 1.0 , {"b\\n" : -0} ,[ ] ], "c":{ }, "d" :12345678901234567890 , "e":"\\u00e9" } ';
  const document = read(text);

  test('every value → its own spelling', () => {
    assert.equal(document.rawOf([]), text.trim());
    assert.equal(document.rawOf(['a']), '[ 1.0 , {"b\\n" : -0} ,[ ] ]');
    assert.equal(document.rawOf(['a', 0]), '1.0');
    assert.equal(document.rawOf(['a', 1, 'b\n']), '-0');
    assert.equal(document.rawOf(['a', 2]), '[ ]');
    assert.equal(document.rawOf(['c']), '{ }');
    assert.equal(document.rawOf(['d']), '12345678901234567890');
    assert.equal(document.rawOf(['e']), '"\\u00e9"');
    assert.deepEqual(document.rangeOf(['a', 0]), { start: 10, end: 13 });
  });

  test('absent path → undefined', () => {
    for (const path of [['x'], ['a', 3], ['a', -1], ['a', '0'], ['a', 'length'], ['c', 'x'], ['d', 0], ['e', 0], [0]]) {
      assert.equal(document.rangeOf(path), undefined, JSON.stringify(path));
    }
    assert.equal(document.rangeOf(['toString']), undefined);
    assert.equal(document.rawOf(['__proto__']), undefined);
    assert.equal(document.rawOf(['x', 'y', 'z']), undefined);
  });

  test('repeated key → the last one, as in JSON.parse', () => {
    const repeated = read('{"other":{"a":1,"a":{"b":2}}}');
    assert.deepEqual(repeated.value, { other: { a: { b: 2 } } });
    assert.equal(repeated.rawOf(['other', 'a', 'b']), '2');
  });

  test('wide characters → counted in UTF-16 units, as for slicing', () => {
    const wide = read('{"é😀":"日本","b":"😀"}');
    assert.equal(wide.rawOf(['é😀']), '"日本"');
    assert.equal(wide.rawOf(['b']), '"😀"');
  });
});

test('json document: members named like inherited ones → plain own members of the view', () => {
  const { value } = read('{"__proto__":{"to":"+1","polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
  assert.equal(value.to, undefined);
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('json levels: named path → the root and every level on the way are checked', () => {
  assert.throws(() => readJsonDocument(Buffer.from('{"a":1,"a":1}'), jsonLevels()), refusal(/in the body/));
  const deep = jsonLevels('a.b.c');
  assert.throws(() => readJsonDocument(Buffer.from('{"a":{"b":1,"b":1}}'), deep), refusal(/in `a`/));
});

test('json document: 1 MiB of any content → read or refused without exhausting the stack', () => {
  const many = (count: number, member: (index: number) => string) => Array.from({ length: count }, (_, i) => member(i));
  const mebibyte = 2 ** 20;
  const refused = [
    '['.repeat(mebibyte),
    '{"a":'.repeat(mebibyte / 5),
    `{"a":${'['.repeat(mebibyte / 2)}${']'.repeat(mebibyte / 2)}}`,
    ' '.repeat(mebibyte),
    `{"a":"${'x'.repeat(mebibyte)}`,
    `{"a":"${'\\'.repeat(mebibyte + 1)}"}`,
    `{${many(100_000, () => '"a":1').join(',')}}`,
  ];
  for (const body of refused) assert.throws(() => read(body), AppError);
  const accepted = [
    `{"a":"${'x'.repeat(mebibyte)}"}`,
    `{"a":"${'\\"'.repeat(mebibyte / 2)}"}`,
    `{"${'\\u0061'.repeat(mebibyte / 6)}":1}`,
    `{${many(100_000, (i) => `"k${i}":1`).join(',')}}`,
    `{"a":[${many(100_000, (i) => `{"k${i}":${i}}`).join(',')}]}`,
    `{${' '.repeat(mebibyte)}}`,
  ];
  for (const body of accepted) assert.equal(read(body).text, body);
  assert.equal(read(accepted[4] ?? '').rawOf(['a', 99_999, 'k99999']), '99999');
});
