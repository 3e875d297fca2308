import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storableText } from './storable-text.ts';

test('storable text: NUL and halves of surrogate pairs → U+FFFD, whole pairs stay', () => {
  assert.equal(storableText('a\0b\ud800c\udc00d'), 'a\ufffdb\ufffdc\ufffdd');
  assert.equal(storableText('😀 é'), '😀 é');
});
