import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { FormError } from './form-part.ts';
import { discardRest, readBody } from './request-body.ts';

/** Creates a clock whose timers fire when the test says so. */
function createTimers(): Clock & { fire(): void; pending(): number } {
  const timers = new Set<() => void>();
  return {
    now: () => 0,
    monotonicMs: () => 0,
    schedule(_delayMs, fire) {
      timers.add(fire);
      return () => timers.delete(fire);
    },
    fire() {
      for (const fire of timers) fire();
    },
    pending: () => timers.size,
  };
}

/** Opens both ends of a POST. The test sends its body and answers it. */
async function openPost(t: TestContext) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', agent: false });
  outgoing.on('error', () => {});
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
  outgoing.flushHeaders();
  const [incoming] = await arrived;
  return { outgoing, incoming };
}

async function read(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('request body: up to its limit → read completely, timer cancelled', async (t) => {
  const clock = createTimers();
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 300_000, timeoutMs: 1, clock }));
  for (let sent = 0; sent < 3; sent += 1) outgoing.write(Buffer.alloc(100_000, sent));
  outgoing.end();
  assert.equal((await body).length, 300_000);
  assert.equal(clock.pending(), 0);
});

test('request body: first byte over the limit → fails, request stays open', async (t) => {
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 300_000, timeoutMs: 1, clock: createTimers() }));
  outgoing.write(Buffer.alloc(300_001));
  await assert.rejects(body, (error) => error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE');
  assert.equal(incoming.destroyed, false);
});

test('request body: small chunks → read in few pieces, the rest waits in the socket', async (t) => {
  const { outgoing, incoming } = await openPost(t);
  const sizes: number[] = [];
  const chunk = `50\r\n${'a'.repeat(80)}\r\n`;
  const count = 20_000;
  const body = readBody(incoming, { bytesMax: count * 80, timeoutMs: 1, clock: createTimers() });
  outgoing.socket?.write(chunk.repeat(count));
  outgoing.end();
  for await (const piece of body) {
    sizes.push(piece.length);
    // Takes time, as a disk does.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(incoming.readableLength, 0, 'what comes meanwhile waits in the socket');
  }
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    count * 80,
  );
  assert.ok(sizes.length < count / 50, `${sizes.length} pieces`);
});

test('request body: reader is slow → little is read ahead', async (t) => {
  const { outgoing, incoming } = await openPost(t);
  const sent = 32 * 1024 * 1024;
  const body = readBody(incoming, { bytesMax: sent, timeoutMs: 1, clock: createTimers() });
  outgoing.end(Buffer.alloc(sent));
  let taken = 0;
  for await (const piece of body) {
    taken += piece.length;
    if (taken > 1024 * 1024) continue;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(incoming.socket.bytesRead < taken + 1024 * 1024, `${incoming.socket.bytesRead} in, ${taken} taken`);
  }
  assert.equal(taken, sent);
});

test('request body: sent in splinters → client disconnected', async (t) => {
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 1_000_000, timeoutMs: 1, clock: createTimers() }));
  outgoing.socket?.write('1\r\na\r\n'.repeat(50_000));
  await assert.rejects(body, FormError);
  assert.ok(incoming.destroyed);
});

test('request body: takes too long → REQUEST_TIMEOUT, request stays open', async (t) => {
  const clock = createTimers();
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 10, timeoutMs: 1, clock }));
  outgoing.write('x');
  clock.fire();
  await assert.rejects(body, (error) => error instanceof AppError && error.code === 'REQUEST_TIMEOUT');
  assert.equal(incoming.destroyed, false);
});

test('request body: client disconnects → FormError', async (t) => {
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 10, timeoutMs: 1, clock: createTimers() }));
  outgoing.write('x');
  outgoing.destroy();
  await assert.rejects(body, FormError);
});

test('rest of an oversized body → read to its end, the connection stays open', async (t) => {
  const clock = createTimers();
  const { outgoing, incoming } = await openPost(t);
  const body = read(readBody(incoming, { bytesMax: 10, timeoutMs: 1, clock }));
  outgoing.write(Buffer.alloc(500_000));
  await assert.rejects(body, AppError);
  discardRest(incoming, clock);
  outgoing.end(Buffer.alloc(500_000));
  await once(incoming, 'end');
  discardRest(incoming, clock);
  clock.fire();
  assert.equal(incoming.socket.destroyed, false);
});

test('rest of a refused body → read to its end, but only for a limited time', async (t) => {
  const clock = createTimers();
  const first = await openPost(t);
  discardRest(first.incoming, clock);
  first.outgoing.write(Buffer.alloc(500_000));
  first.outgoing.end();
  await once(first.incoming, 'end');
  assert.equal(clock.pending(), 0);

  const second = await openPost(t);
  discardRest(second.incoming, clock);
  second.outgoing.write('x');
  const closed = once(second.incoming, 'close');
  clock.fire();
  await closed;
  assert.equal(second.incoming.destroyed, true);
});
