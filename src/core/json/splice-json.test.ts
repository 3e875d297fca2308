import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonDocument } from './json-document.ts';
import { insertFirstMember, insertMember, replaceRanges, replaceValue } from './splice-json.ts';

test('splice: first member → inserted right after the brace, all else unchanged', () => {
  const cases: readonly [text: string, expected: string][] = [
    ['{}', '{"k":"v"}'],
    ['{ }', '{"k":"v" }'],
    [' {\n} ', ' {"k":"v"\n} '],
    ['{"a":1}', '{"k":"v","a":1}'],
    ['{ "a":1}', '{"k":"v", "a":1}'],
    ['\n{\n  "a": 1\n}\n', '\n{"k":"v",\n  "a": 1\n}\n'],
    ['{"a":{}}', '{"k":"v","a":{}}'],
    ['{"}":"{"}', '{"k":"v","}":"{"}'],
  ];
  for (const [text, expected] of cases) assert.equal(insertFirstMember(text, 'k', '"v"'), expected);
});

test('splice: member with a path → inserted into the object at that path', () => {
  const text = '{ "a" : [1.0, { "b" : -0 } ], "template":{"name":"n"}, "c":{ } }';
  const cases: readonly [path: (string | number)[], expected: string][] = [
    [[], '{"k":1e2, "a" : [1.0, { "b" : -0 } ], "template":{"name":"n"}, "c":{ } }'],
    [['template'], '{ "a" : [1.0, { "b" : -0 } ], "template":{"k":1e2,"name":"n"}, "c":{ } }'],
    [['a', 1], '{ "a" : [1.0, {"k":1e2, "b" : -0 } ], "template":{"name":"n"}, "c":{ } }'],
    [['c'], '{ "a" : [1.0, { "b" : -0 } ], "template":{"name":"n"}, "c":{"k":1e2 } }'],
  ];
  for (const [path, expected] of cases) assert.equal(insertMember(text, path, 'k', '1e2'), expected);
});

test('splice: any key → escaped as JSON requires', () => {
  for (const key of ['', 'a"b', 'a\\b', '\n', '\ud83d', '😀', '__proto__']) {
    const text = insertFirstMember('{"x":1}', key, '2');
    assert.equal(readJsonDocument(Buffer.from(text)).rawOf([key]), '2');
  }
});

test('splice: several splices → applied one after the other', () => {
  const inner = insertMember('{"template":{"name":"n"}}', ['template'], 'language', '{"code":"en"}');
  const outer = insertFirstMember(inner, 'messaging_product', '"whatsapp"');
  assert.equal(outer, '{"messaging_product":"whatsapp","template":{"language":{"code":"en"},"name":"n"}}');
});

test('splice: path that leads to no object → throws', () => {
  const text = '{"a":[1],"b":"{}"}';
  for (const path of [['a'], ['b'], ['a', 0], ['c'], ['a', 1], ['toString']]) {
    assert.throws(() => insertMember(text, path, 'k', '1'), /^Error: no (value|object) at/);
  }
  assert.throws(() => insertFirstMember('[]', 'k', '1'), /^Error: no object at/);
});

test('splice: value at a path → replaced, all else unchanged', () => {
  const text = '{ "a" : [ {"id" : "x\\u00e9", "n":1.0 } ], "id":"x" }';
  assert.equal(replaceValue(text, ['a', 0, 'id'], '"y"'), '{ "a" : [ {"id" : "y", "n":1.0 } ], "id":"x" }');
  for (const path of [['a', 1, 'id'], ['b'], ['id', 'id']]) assert.equal(replaceValue(text, path, '"y"'), text);
});

test('splice: ranges in any order → all replaced by their old offsets', () => {
  assert.equal(replaceRanges('0123456789', []), '0123456789');
  const replacements = [
    { start: 8, end: 10, text: '' },
    { start: 0, end: 1, text: 'zero' },
    { start: 4, end: 4, text: '|' },
    { start: 4, end: 6, text: 'xy' },
  ];
  assert.equal(replaceRanges('0123456789', replacements), 'zero123|xy67');
});

test('splice: overlapping ranges or ranges outside the text → throws', () => {
  const overlapping = [
    { start: 2, end: 5, text: 'a' },
    { start: 4, end: 6, text: 'b' },
  ];
  assert.throws(() => replaceRanges('0123456789', overlapping), /range 4-6/);
  for (const [start, end] of [
    [5, 4],
    [9, 11],
    [-1, 2],
  ] as const) {
    assert.throws(() => replaceRanges('0123456789', [{ start, end, text: '' }]), /cannot replace range/);
  }
});
