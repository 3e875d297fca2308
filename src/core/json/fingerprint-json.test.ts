import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintJson } from './fingerprint-json.ts';
import { readJsonDocument } from './json-document.ts';

function fingerprint(text: string): string {
  return fingerprintJson(readJsonDocument(Buffer.from(text)).text);
}

test('fingerprint: documents with the same meaning → equal', () => {
  const groups = [
    ['{}', ' { } ', '{\n}'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "b" : 2 ,\n"a" : 1 }'],
    ['{"a":{"x":[1,{"p":1,"q":2}],"y":2}}', '{"a":{"y":2,"x":[ 1 , {"q":2,"p":1} ]}}'],
    ['{"a":"é"}', '{"a":"\\u00e9"}', '{"a":"\\u00E9"}', '{"\\u0061":"é"}'],
    ['{"a":"/\\n\\u0001"}', '{"a":"\\/\\u000a\\u0001"}', '{"a":"\\u002f\\u000A\\u0001"}'],
    ['{"a":"😀"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\uD83D\\uDE00"}'],
    ['{"a":"\\"\\\\"}', '{"a":"\\u0022\\u005c"}'],
    ['{"a":"\\ud83d"}', '{"a":"\\uD83D"}'],
    ['{"\\u00e9":1,"z":2}', '{"z":2,"é":1}'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
  ];
  for (const group of groups) assert.equal(new Set(group.map(fingerprint)).size, 1, group[0]);
});

test('fingerprint: documents with different meaning → different', () => {
  const texts = [
    '{}',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":[[]]}',
    '{"a":[{}]}',
    '{"a":""}',
    '{"a":null}',
    '{"a":"null"}',
    '{"a":true}',
    '{"a":false}',
    '{"a":1}',
    '{"a":"1"}',
    '{"a":[1]}',
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"a":[12]}',
    '{"a":1,"b":2}',
    '{"a":2,"b":1}',
    '{"a":{"b":2}}',
    '{"a":{"b":2,"c":3}}',
    '{"a":{"b":2},"c":3}',
    '{"A":1}',
    '{"a ":1}',
    '{"a":"\\",\\"b\\":\\""}',
    '{"a":"","b":""}',
    '{"a":"e\u0301"}',
    '{"a":"é"}',
    '{"a":"\\ud83d"}',
    '{"a":"\\ude00"}',
    '{"a":"\ufffd"}',
    '{"a":"\\\\ud83d"}',
  ];
  assert.equal(new Set(texts.map(fingerprint)).size, texts.length);
});

test('fingerprint: numbers → one per spelling, even if equal as doubles', () => {
  const spellings = [
    '12345678901234567890',
    '12345678901234567891',
    '1',
    '1.0',
    '1e0',
    '1E0',
    '10e-1',
    '0',
    '-0',
    '0.0',
    '1e400',
    '1e401',
  ];
  assert.equal(new Set(spellings.map((raw) => fingerprint(`{"a":${raw}}`))).size, spellings.length);
});

test('fingerprint: repeated key → both members count', () => {
  const texts = ['{"x":{"a":1,"a":2}}', '{"x":{"a":2,"a":1}}', '{"x":{"a":2}}'];
  assert.equal(new Set(texts.map(fingerprint)).size, texts.length);
});

test('fingerprint: full depth or many keys → works, independent of key order', () => {
  const deep = `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`;
  assert.match(fingerprint(deep), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const members = Array.from({ length: 20_000 }, (_, index) => `"k${(index * 7919) % 20_000}":${index}`);
  assert.equal(fingerprint(`{${members.join(',')}}`), fingerprint(`{${members.toReversed().join(',')}}`));
});

test('fingerprint: known document → unchanged value, because fingerprints are stored for days', () => {
  assert.equal(
    fingerprint('{"to":"+15550001111","type":"text","text":{"body":"é"}}'),
    '7958c9b1-0a9f-aff4-f19e-631329cf2671',
  );
});
