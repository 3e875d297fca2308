import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSecretBox } from './secret-box.ts';

const box = createSecretBox([randomBytes(32)]);

test('a sealed secret opens for its own context, whatever its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
      assert.equal(box.open(box.seal(secret, context), context), secret);
    }),
  );
});

test('a secret copied to another row or tenant stays shut', () => {
  const sealed = box.seal('EAA-token', 'org-1|waba|100');
  assert.throws(() => box.open(sealed, 'org-2|waba|100'));
  assert.throws(() => box.open(sealed, 'org-1|waba|101'));
});

test('a secret altered in any byte stays shut', () => {
  const sealed = box.seal('EAA-token', 'here');
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    assert.throws(() => box.open(altered, 'here'), `byte ${index}`);
  }
  assert.throws(() => box.open(sealed.subarray(0, -1), 'here'));
  assert.throws(() => box.open(Buffer.alloc(0), 'here'));
});

test('what was sealed stays readable: its form is that of the databases there are', () => {
  const sealed = '01596153f107f94a67183577933a301a595d404cbdbff3567abb7e16c2d8f85f0487411040b9bfe2b1ac';
  assert.equal(createSecretBox([Buffer.alloc(32, 7)]).open(Buffer.from(sealed, 'hex'), 'here'), 'EAA-token');
});

test('another key is told from a damaged value, and both from what is no sealed value', () => {
  const sealed = createSecretBox([randomBytes(32)]).seal('secret', 'here');
  assert.throws(() => box.open(sealed, 'here'), /ENCRYPTION_KEY/);
  sealed[0] = 2;
  for (const none of [sealed, Buffer.alloc(0), box.seal('', 'here').subarray(0, -1)]) {
    assert.throws(() => box.open(none, 'here'), /not a sealed value/);
  }
});

test('with several keys the first seals, each opens, and what an older one sealed is sealed anew', () => {
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

test('sealing the same secret twice gives different bytes and never the secret itself', () => {
  const first = box.seal('EAA-token', 'here');
  assert.notDeepEqual(first, box.seal('EAA-token', 'here'));
  assert.ok(!first.includes('EAA-token'));
});

test('a secret box refuses keys of other lengths than 32 bytes', () => {
  assert.throws(() => createSecretBox([Buffer.alloc(16)]), /32 bytes/);
});
