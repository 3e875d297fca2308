import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import { WindowRoom } from './window-room.ts';

const MIB = 1024 * 1024;
const short = messageEvent({ type: 'message.sent' });
const long = { ...short, upstreamValue: 'x'.repeat(MIB) };

test('window: filled and emptied in any order → gives back all shared memory', () => {
  const room = new WindowRoom(20 * MIB);
  for (const goesFirst of [1, 2, 3]) {
    const window = room.open('a');
    for (const [seq, event] of [short, long, short, long].entries()) assert.ok(window.add(seq, event));
    window.delete(goesFirst);
    window.retain(new Set([2]));
    assert.ok(window.takesMore);
    window.retain(new Set());
    assert.ok(window.add(9, long));
    assert.ok(!room.open('a').isRoomFull);
    window.delete(9);
  }
});

test('window: no shared memory → takes its own bytes, and one delivery of any size', () => {
  const window = new WindowRoom(0).open('a');
  assert.ok(window.isRoomFull);
  assert.ok(window.add(1, short));
  assert.ok(window.takesMore);
  assert.ok(window.add(2, long));
  assert.equal(window.takesMore, false);
  assert.equal(window.add(3, short), false);
  assert.equal(window.has(3), false);
  window.delete(2);
  assert.ok(window.add(3, short));
});

test('window: shared memory has space → takes more than its own', () => {
  const window = new WindowRoom(40 * MIB).open('a');
  assert.ok(window.add(1, long));
  assert.ok(window.takesMore);
  for (let seq = 2; !window.isRoomFull; seq += 1) assert.ok(window.add(seq, long));
  assert.equal(window.takesMore, false);
});

test('windows: filled and emptied → leave the shared memory as it was', () => {
  const room = new WindowRoom(20 * MIB);
  const longOnesTaken = () => {
    const windows = ['a', 'b', 'c'].map((organizationId) => room.open(organizationId));
    let taken = 0;
    for (const window of windows) while (window.add(taken, long)) taken += 1;
    for (const window of windows) window.retain(new Set());
    return taken;
  };
  const before = longOnesTaken();
  for (let round = 0; round < 20; round += 1) {
    const window = room.open('a');
    for (const [seq, event] of [short, long, short, long].entries()) window.add(seq, event);
    window.delete(round % 4);
    window.retain(new Set([2]));
    window.retain(new Set());
  }
  assert.equal(longOnesTaken(), before);
});

test('windows: very many → each has less of its own, and one delivery at least', () => {
  const room = new WindowRoom(0);
  const first = room.open('a');
  const takenBy = (window: typeof first) => {
    let taken = 0;
    while (taken < 1_000 && window.add(taken, short)) taken += 1;
    window.retain(new Set());
    return taken;
  };
  const alone = takenBy(first);
  assert.ok(first.ownCount > 8);
  const others = Array.from({ length: 40_000 }, () => room.open('a'));
  assert.equal(takenBy(first), 1);
  assert.equal(first.ownCount, 1);
  for (const window of others) window.close();
  assert.equal(takenBy(first), alone);
});
