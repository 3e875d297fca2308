import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Listener } from './listener.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a crowd is turned away over several turns, all of it, and what is served does not wait for that', async () => {
  const answered: number[] = [];
  let served = 0;
  let shedding = true;
  const listener = new Listener({ newRequestId: () => 'r-1', sheds: () => shedding });
  const server = listener.createServer(() => {
    served += 1;
  });
  const arrive = () => {
    const request = { url: '/v1/1/messages' } as IncomingMessage;
    const writeHead = (status: number) => answered.push(status);
    const response = { on: () => {}, prependListener: () => {}, writeHead, end: () => {} };
    server.emit('request', request, response as unknown as ServerResponse);
  };
  for (let count = 0; count < 1000; count += 1) arrive();
  assert.equal(answered.length, 0);
  await turn();
  assert.ok(answered.length > 0 && answered.length < 1000, `${answered.length} in the first turn`);
  shedding = false;
  arrive();
  assert.equal(served, 1);
  while (answered.length < 1000) await turn();
  assert.deepEqual([...new Set(answered)], [503]);
  await turn();
  assert.equal(answered.length, 1000, 'each is answered once');
});
