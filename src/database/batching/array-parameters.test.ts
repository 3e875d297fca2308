import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeArrays } from './array-parameters.ts';

const UUIDS = 'SELECT $1::uuid[]';
const ID = '0199c0de-7a3b-7c1d-9E5F-2b8a4d6c1e30';

test('array parameters: UUID in any letter case → its 16 bytes', () => {
  const [written] = encodeArrays(UUIDS, [[ID]]) as [Buffer];
  assert.equal(written.subarray(-16).toString('hex'), ID.toLowerCase().replaceAll('-', ''));
});

test('array parameters: text that is no UUID → RangeError before anything is sent', () => {
  const wrong = [
    '',
    '-',
    ID.slice(1),
    `${ID}00`,
    ID.replace('c', 'g'),
    ID.replace('c', 'é'),
    ID.replace('c', '\u0013'),
  ];
  for (const text of wrong) assert.throws(() => encodeArrays(UUIDS, [[text]]), RangeError, JSON.stringify(text));
});
