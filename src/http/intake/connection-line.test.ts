import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ConnectionLine } from './connection-line.ts';

const WAITED_MAX_MS = 1_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A line before which there is as much room as `crowd.room` says, at `crowd.nowMs`. */
function openLine(t: TestContext) {
  const crowd = { room: 0, nowMs: 0 };
  t.mock.method(performance, 'now', () => crowd.nowMs);
  const line = new ConnectionLine({ room: () => crowd.room, waitedMaxMs: WAITED_MAX_MS });
  const join = () => {
    const socket = new Socket();
    line.join(socket);
    return socket;
  };
  return { crowd, line, join };
}

test('while there is room and no line, nobody waits', (t) => {
  const { crowd, line, join } = openLine(t);
  crowd.room = 1;
  assert.ok(!join().isPaused());
  assert.equal(line.length, 0);
  assert.equal(line.waitedMs, 0);
});

test('connections are read again in the order in which they joined, so many in each turn as there is room for', async (t) => {
  const { crowd, line, join } = openLine(t);
  const sockets = Array.from({ length: 5 }, join);
  const unread = () => sockets.map((socket) => (socket.isPaused() ? 1 : 0)).join('');
  assert.equal(unread(), '11111');
  crowd.room = 2;
  await turn();
  assert.equal(unread(), '00111');
  sockets.push(join());
  assert.equal(unread(), '001111', 'who comes while there is a line joins it, room or not');
  await turn();
  assert.equal(unread(), '000011');
  await turn();
  assert.equal(unread(), '000000');
  assert.equal(line.length, 0);
});

test('room that nobody was answered for is found as well', async (t) => {
  const { crowd, join } = openLine(t);
  const socket = join();
  await turn();
  await turn();
  crowd.room = 1;
  const resumed = new Promise((resolve) => socket.once('resume', resolve));
  // What looks for room does not keep the process alive.
  const alive = setTimeout(() => {}, 60_000);
  await resumed;
  clearTimeout(alive);
});

test('nobody joins behind one that has been waiting for too long', (t) => {
  const { crowd, line, join } = openLine(t);
  join();
  crowd.nowMs = WAITED_MAX_MS - 1;
  assert.ok(join().isPaused());
  crowd.nowMs = WAITED_MAX_MS;
  assert.equal(line.waitedMs, WAITED_MAX_MS);
  assert.ok(!join().isPaused());
  assert.equal(line.length, 2);
});

test('of connections whose turn has come it is known that they have waited, until the next have theirs, and of no other', async (t) => {
  const { crowd, line, join } = openLine(t);
  const [first, second] = [join(), join()];
  crowd.room = 1;
  await turn();
  assert.deepEqual([line.hasWaited(first), line.hasWaited(second)], [true, false]);
  await turn();
  assert.deepEqual([line.hasWaited(first), line.hasWaited(second)], [false, true]);
});

test('all that rest join at once, behind those who wait already, and no more often than once in a turn of the event loop', async (t) => {
  const { crowd, line, join } = openLine(t);
  const first = join();
  const resting = [first, new Socket(), new Socket()];
  crowd.nowMs = WAITED_MAX_MS;
  line.joinAll(resting);
  assert.ok(resting.every((socket) => socket.isPaused()));
  assert.equal(line.length, 3, 'each once');
  const later = new Socket();
  line.joinAll([later]);
  assert.ok(!later.isPaused());
  crowd.room = 1;
  await turn();
  assert.deepEqual(
    resting.map((socket) => socket.isPaused()),
    [false, true, true],
  );
  line.joinAll([later]);
  assert.ok(later.isPaused());
});

test('those who rest later join as well where nobody rested before', async (t) => {
  const { line } = openLine(t);
  line.joinAll([]);
  await turn();
  const socket = new Socket();
  line.joinAll([socket]);
  assert.ok(socket.isPaused());
});

test('a line that is dissolved has all of it read, and nobody joins it any more', (t) => {
  const { line, join } = openLine(t);
  const sockets = [join(), join()];
  line.dissolve();
  sockets.push(join());
  line.joinAll(sockets);
  assert.ok(sockets.every((socket) => !socket.isPaused()));
  assert.equal(line.length, 0);
});
