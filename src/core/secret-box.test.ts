import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSecretBox } from './secret-box.ts';

const box = createSecretBox([randomBytes(32)]);

test('secret box: sealed text → opens in its own context, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
      assert.equal(box.open(box.seal(secret, context), context), secret);
    }),
  );
});

test('secret box: value copied to another row or tenant → does not open', () => {
  const sealed = box.seal('EAA-token', 'org-1|waba|100');
  assert.throws(() => box.open(sealed, 'org-2|waba|100'));
  assert.throws(() => box.open(sealed, 'org-1|waba|101'));
});

test('secret box: value altered in any byte → does not open', () => {
  const sealed = box.seal('EAA-token', 'here');
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    assert.throws(() => box.open(altered, 'here'), `byte ${index}`);
  }
  assert.throws(() => box.open(sealed.subarray(0, -1), 'here'));
  assert.throws(() => box.open(Buffer.alloc(0), 'here'));
});

test('secret box: value of an existing database → still opens', () => {
  const sealed = '01596153f107f94a67183577933a301a595d404cbdbff3567abb7e16c2d8f85f0487411040b9bfe2b1ac';
  assert.equal(createSecretBox([Buffer.alloc(32, 7)]).open(Buffer.from(sealed, 'hex'), 'here'), 'EAA-token');
});

test('secret box: wrong key, damaged value → different errors', () => {
  const sealed = createSecretBox([randomBytes(32)]).seal('secret', 'here');
  assert.throws(() => box.open(sealed, 'here'), /ENCRYPTION_KEY/);
  sealed[0] = 2;
  for (const none of [sealed, Buffer.alloc(0), box.seal('', 'here').subarray(0, -1)]) {
    assert.throws(() => box.open(none, 'here'), /not a sealed value/);
  }
});

test('secret box: several keys → the first seals, each opens, reseal upgrades an old value', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const [before, during, afterwards] = [
    createSecretBox([oldKey]),
    createSecretBox([newKey, oldKey]),
    createSecretBox([newKey]),
  ];
  const sealed = before.seal('EAA-token', 'here');
  assert.equal(during.open(sealed, 'here'), 'EAA-token');
  assert.throws(() => afterwards.open(sealed, 'here'));
  assert.equal(afterwards.open(during.reseal(sealed, 'here') ?? Buffer.alloc(0), 'here'), 'EAA-token');
  assert.equal(afterwards.reseal(sealed, 'here'), undefined);
  assert.deepEqual(during.marks, [...afterwards.marks, ...before.marks]);
});

test('secret box: same secret twice → different bytes that never contain it', () => {
  const first = box.seal('EAA-token', 'here');
  assert.notDeepEqual(first, box.seal('EAA-token', 'here'));
  assert.ok(!first.includes('EAA-token'));
});

test('secret box: key that is not 32 bytes → refused', () => {
  assert.throws(() => createSecretBox([Buffer.alloc(16)]), /32 bytes/);
});
