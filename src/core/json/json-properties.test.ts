import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  json,
  object,
  seededPick,
  shuffleKeys,
  spell,
  spellingSeeds,
  spellSpace,
  strings,
  walk,
} from '../../../test/support/arbitrary-json.ts';
import { fingerprintJson } from './fingerprint-json.ts';
import { type JsonDocument, readJsonDocument } from './json-document.ts';
import type { JsonPath, TextRange } from './json-node.ts';
import { insertFirstMember, insertMember, replaceRanges } from './splice-json.ts';

function read(text: string): JsonDocument {
  return readJsonDocument(Buffer.from(text));
}

function getRange(document: JsonDocument, path: JsonPath): TextRange {
  return document.rangeOf(path) ?? assert.fail(`no value at ${JSON.stringify(path)}`);
}

test('json properties: generated document → document and values keep every byte', () => {
  const property = fc.property(object, spellingSeeds, (value, seed) => {
    const pick = seededPick(seed);
    const root = spell(value, pick);
    const bytes = Buffer.from(spellSpace(pick) + root.raw + spellSpace(pick));
    const document = readJsonDocument(bytes);
    assert.ok(Buffer.from(document.text).equals(bytes));
    assert.deepEqual(document.value, JSON.parse(bytes.toString()));
    for (const [path, { raw }] of walk(root)) assert.equal(document.rawOf(path), raw);
  });
  fc.assert(property, { numRuns: 10_000 });
});

test('json properties: member inserted into any object → no other change', () => {
  const property = fc.property(object, spellingSeeds, strings, json, (value, seed, key, inserted) => {
    const pick = seededPick(seed);
    const root = spell(value, pick);
    const { raw: rawValue } = spell(inserted, pick);
    for (const [path, { raw, children }] of walk(root)) {
      if (!raw.startsWith('{') || children.has(key)) continue;
      const text = insertMember(root.raw, path, key, rawValue);
      if (path.length === 0) assert.equal(insertFirstMember(root.raw, key, rawValue), text);

      const document = read(text);
      assert.equal(document.rawOf([...path, key]), rawValue);
      for (const [step, child] of children) assert.equal(document.rawOf([...path, step]), child.raw);
      const piece = `${JSON.stringify(key)}:${rawValue}${children.size === 0 ? '' : ','}`;
      const start = getRange(read(root.raw), path).start + 1;
      assert.equal(replaceRanges(text, [{ start, end: start + piece.length, text: '' }]), root.raw);
    }
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('json properties: values replaced in their ranges → no other change', () => {
  const property = fc.property(object, spellingSeeds, (value, seed) => {
    const root = spell(value, seededPick(seed));
    const document = read(root.raw);
    const paths = Array.from(root.children.keys(), (key) => [key]).reverse();
    const ranges = paths.map((path) => getRange(document, path));
    const same = ranges.map((range) => ({ ...range, text: document.text.slice(range.start, range.end) }));
    assert.equal(replaceRanges(document.text, same), document.text);
    const emptied = replaceRanges(
      document.text,
      ranges.map((range) => ({ ...range, text: '{}' })),
    );
    assert.deepEqual(Object.keys(read(emptied).value), Object.keys(document.value));
    for (const path of paths) assert.equal(read(emptied).rawOf(path), '{}');
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('json properties: other spelling and key order → same fingerprint', () => {
  const property = fc.property(object, spellingSeeds, spellingSeeds, (value, seed, otherSeed) => {
    const pick = seededPick(otherSeed);
    const one = read(spell(value, seededPick(seed)).raw);
    const other = read(spell(shuffleKeys(value, pick), pick).raw);
    assert.equal(fingerprintJson(one.text), fingerprintJson(other.text));
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('json properties: any changed value → another fingerprint', () => {
  const property = fc.property(object, spellingSeeds, (value, seed) => {
    const root = spell(value, seededPick(seed));
    const document = read(root.raw);
    const before = fingerprintJson(document.text);
    for (const [path] of walk(root)) {
      if (path.length === 0) continue;
      const changed = replaceRanges(root.raw, [{ ...getRange(document, path), text: '"changed by the test"' }]);
      assert.notEqual(fingerprintJson(read(changed).text), before);
    }
  });
  fc.assert(property, { numRuns: 1_000 });
});
