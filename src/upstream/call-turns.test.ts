import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { accepted, reply, send, startPeer, token } from '../../test/support/upstream-peer.ts';

const other = 'EAAGtokenOfAnotherTenant';

test('hanging calls: delay neither messages nor other tenants’ calls', async (t) => {
  const hanging: (() => void)[] = [];
  const { upstream, received } = await startPeer(
    t,
    (request, response) => {
      if (request.url.endsWith('/messages')) reply(response, 200, accepted);
      else if (request.headers.authorization === `Bearer ${other}`) reply(response, 200, { success: true });
      else hanging.push(() => reply(response, 200, { success: true }));
    },
    { connectionsMax: 8 },
  );
  const calls = Array.from({ length: 20 }, () => upstream.subscribeApp('102', token));
  assert.deepEqual(await upstream.subscribeApp('103', other), { kind: 'ok', value: true });
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted' });
  assert.equal(hanging.length, 4, 'half of the connections');

  while (received.length < 22) {
    hanging.shift()?.();
    await new Promise(setImmediate);
  }
  for (const answer of hanging) answer();
  assert.ok((await Promise.all(calls)).every(({ kind }) => kind === 'ok'));
});

test('call: times out while it waits for a slot → unsent, its file is released', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<() => void>();
  const { upstream, received } = await startPeer(
    t,
    (_request, response) => resolve(() => reply(response, 200, { success: true })),
    { connectionsMax: 1, transferTimeoutMs: 20 },
  );
  const first = upstream.subscribeApp('102', token);
  const answer = await arrived;
  const stream = Readable.from(['x'], { objectMode: false });
  const late = await upstream.uploadMedia('777', token, { stream, bytes: 1, mimeType: 'image/png', fileName: 'a.png' });
  assert.partialDeepStrictEqual(late, { kind: 'unavailable', reason: 'timeout', mayHaveHappened: false });
  if (!stream.closed) await once(stream, 'close');
  answer();
  assert.deepEqual(await first, { kind: 'ok', value: true });
  assert.equal(received.length, 1);
});
