import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that Linux, macOS and Windows give to connections by themselves. */
const PORTS = { from: 20_000, below: 32_768 };
const TRIES_MAX = 100;

/**
 * Returns a TCP port on 127.0.0.1 that is free at this moment. No system gives it to an outgoing connection, so it stays free while a process
 * starts again; another server may still take it. Rejects if 100 ports are taken.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.below);
    const server = createServer();
    try {
      await listen(server, port);
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
