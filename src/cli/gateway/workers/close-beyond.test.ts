import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { closeBeyondMax } from './close-beyond.ts';

test('connections of a worker: one beyond the limit → closed; after another ended → served', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).write('served'));
  server.maxConnections = 1;
  closeBeyondMax(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const open = () => connect(port, '127.0.0.1').on('error', () => {});

  const first = open();
  await once(first, 'data');
  const second = open();
  second.resume();
  await once(second, 'close');
  assert.ok(!first.destroyed);
  first.destroy();
  // The server notices the end of the first connection before it accepts a later one, or closes that one as well.
  for (let served = false; !served; ) {
    const next = open();
    served = await Promise.race([once(next, 'data').then(() => true), once(next, 'close').then(() => false)]);
    next.destroy();
  }
});
