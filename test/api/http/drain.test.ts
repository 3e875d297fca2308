import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { drainServer } from '../../../src/http/index.ts';
import { createBareServer } from '../../harness/bare-server.ts';
import { createManualClock } from '../../harness/manual-clock.ts';

test('a drain without new connections: an idle connection may send once more, others close', async (t) => {
  const clock = createManualClock();
  const app = await createBareServer();
  t.after(() => app.server.closeAllConnections());
  app.get('/v1/anything', async () => ({ served: true }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const [used, unused] = [await open(), await open()];
  for (const socket of [used, unused])
    assert.match(await ask(socket), /^HTTP\/1\.1 200 .*\r\nconnection: keep-alive\r\n/is);

  let isOver = false;
  const drained = drainServer(app, { clock, graceMs: 2_000, answerMs: 3_000, endWaiting: async () => {} }).finally(
    () => {
      isOver = true;
    },
  );
  // Advances time only while the test waits for it: between two steps, the turns of the event loop take no time.
  const goOn = async () => {
    let isWaitedFor = false;
    void clock.whenScheduled(25).then(() => {
      isWaitedFor = true;
    });
    await nextTurn();
    if (isWaitedFor) clock.advance(25);
  };
  while (app.server.listening) await goOn();
  const closedAtMs = clock.monotonicMs();
  assert.ok(closedAtMs >= 2_000, `${closedAtMs}`);
  await assert.rejects(open(), { code: 'ECONNREFUSED' });
  assert.match(await ask(used), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);

  assert.equal(unused.readableEnded, false);
  unused.resume();
  while (!isOver) await goOn();
  await drained;
  assert.ok(clock.monotonicMs() - closedAtMs >= 500, 'for a while it could have been used');
  if (!unused.readableEnded) await once(unused, 'end');
});

/** Returns the answer to a request; none of the answers has a body that would arrive separately. */
async function ask(socket: Socket): Promise<string> {
  const answer = once(socket, 'data');
  socket.write('GET /v1/anything HTTP/1.1\r\nhost: gateway\r\n\r\n');
  return String((await answer)[0]);
}
