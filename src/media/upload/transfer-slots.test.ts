import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../core/errors.ts';
import { TransferSlots } from './transfer-slots.ts';

const coded = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test('transfer slots: organization at its limit → refused until a slot is free', () => {
  const slots = new TransferSlots({ processMax: 10, organizationMax: 2 });
  const first = slots.take('a');
  slots.take('a');
  assert.throws(() => slots.take('a'), coded('RATE_LIMITED'));
  slots.take('b');
  first[Symbol.dispose]();
  slots.take('a');
  assert.throws(() => slots.take('a'), coded('RATE_LIMITED'));
});

test('transfer slots: process at its limit → refuses everyone until a slot is free', () => {
  const slots = new TransferSlots({ processMax: 3, organizationMax: 2 });
  const held = [slots.take('a'), slots.take('a'), slots.take('b')];
  assert.throws(() => slots.take('b'), coded('UNAVAILABLE'));
  for (const slot of held) slot[Symbol.dispose]();
  slots.take('c');
});
