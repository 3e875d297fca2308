import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { findFreePort } from './find-free-port.ts';

it('free port: given to no outgoing connection, free for a server', async () => {
  for (let count = 0; count < 20; count += 1) {
    const port = await findFreePort();
    assert.ok(port < 32_768, String(port));
    const server = createServer().listen(port, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    await new Promise((closed) => server.close(closed));
  }
});
