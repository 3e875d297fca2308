import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ConnectionLine } from './connection-line.ts';

const WAITED_MAX_MS = 1_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Opens a line in front of which `crowd.room` requests fit, at the time `crowd.nowMs`. */
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

test('connection line: capacity and no line → no connection waits', (t) => {
  const { crowd, line, join } = openLine(t);
  crowd.room = 1;
  assert.ok(!join().isPaused());
  assert.equal(line.length, 0);
  assert.equal(line.waitedMs, 0);
});

test('connection line: capacity for two → read in order, two in each turn', async (t) => {
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

test('connection line: capacity without an answer → found as well', async (t) => {
  const { crowd, join } = openLine(t);
  const socket = join();
  await turn();
  await turn();
  crowd.room = 1;
  const resumed = new Promise((resolve) => socket.once('resume', resolve));
  // The timer that looks for capacity does not keep the process alive.
  const alive = setTimeout(() => {}, 60_000);
  await resumed;
  clearTimeout(alive);
});

test('connection line: first has waited too long → no connection joins', (t) => {
  const { crowd, line, join } = openLine(t);
  join();
  crowd.nowMs = WAITED_MAX_MS - 1;
  assert.ok(join().isPaused());
  crowd.nowMs = WAITED_MAX_MS;
  assert.equal(line.waitedMs, WAITED_MAX_MS);
  assert.ok(!join().isPaused());
  assert.equal(line.length, 2);
});

test('hasWaited: turn has come → true until the next turn, false for all others', async (t) => {
  const { crowd, line, join } = openLine(t);
  const [first, second] = [join(), join()];
  crowd.room = 1;
  await turn();
  assert.deepEqual([line.hasWaited(first), line.hasWaited(second)], [true, false]);
  await turn();
  assert.deepEqual([line.hasWaited(first), line.hasWaited(second)], [false, true]);
});

test('joinAll: resting connections → join behind the line, once per event loop turn', async (t) => {
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

test('joinAll: no connection rested before → later ones join', async (t) => {
  const { line } = openLine(t);
  line.joinAll([]);
  await turn();
  const socket = new Socket();
  line.joinAll([socket]);
  assert.ok(socket.isPaused());
});

test('dissolve: connections wait → all are read, and none joins any more', (t) => {
  const { line, join } = openLine(t);
  const sockets = [join(), join()];
  line.dissolve();
  sockets.push(join());
  line.joinAll(sockets);
  assert.ok(sockets.every((socket) => !socket.isPaused()));
  assert.equal(line.length, 0);
});
