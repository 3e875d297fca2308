import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastActs, type OptOutAct } from './opt-out.ts';

const act = (atMs: number, stops: boolean, person = '1'): OptOutAct => ({
  organizationId: 'o',
  phoneNumberId: '8',
  wabaId: '7',
  person,
  name: person,
  phoneNumber: undefined,
  userId: undefined,
  source: 'platform',
  stops,
  atMs,
});

test('opt-outs: several acts of one person → the newest, whatever their order', () => {
  const acts = [act(2, false), act(1, true), act(3, true, '2')];
  assert.deepEqual(lastActs(acts), [act(2, false), act(3, true, '2')]);
  assert.deepEqual(lastActs(acts.toReversed()), [act(3, true, '2'), act(2, false)]);
});

test('opt-outs: two acts at one time → the one that stops', () => {
  assert.deepEqual(lastActs([act(1, true), act(1, false)]), [act(1, true)]);
  assert.deepEqual(lastActs([act(1, false), act(1, true)]), [act(1, true)]);
});
