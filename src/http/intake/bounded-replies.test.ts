import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { boundReplies } from './bounded-replies.ts';

const MIB = 1024 * 1024;

test('large answers: unread by their client → bounded, and small ones still sent', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest('caller', null);
  boundReplies(app, 32 * MIB);
  // More than the system takes into its own buffers for a connection.
  app.get('/large', () => 'x'.repeat(12 * MIB));
  app.get('/small', () => 'x');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  const until = async (status: number) => {
    while ((await ask('/large')) !== status) {
      // repeats until the slow client's request, or its end, has been seen
    }
  };
  const slow = connect(port, '127.0.0.1').pause();
  slow.write('GET /large HTTP/1.1\r\nhost: fairway\r\n\r\n');
  await until(500);
  assert.equal(await ask('/small'), 200);
  slow.destroy();
  await until(200);
});

test('large answer: client has disconnected → takes no memory of the budget', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest('caller', null);
  boundReplies(app, 4 * MIB);
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  app.get('/large', async (request, reply) => {
    if (request.query !== undefined && 'late' in (request.query as object)) {
      reply.raw.once('close', resolve);
      await gone;
    }
    return 'x'.repeat(2 * MIB);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.write('GET /large?late HTTP/1.1\r\nhost: fairway\r\n\r\n');
  await once(app.server, 'request');
  client.destroy();
  await gone;
  const answer = await fetch(`http://127.0.0.1:${port}/large`);
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
});
