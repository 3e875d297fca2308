import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A way to a server that remembers what came over it. */
export interface RecordingProxy {
  readonly port: number;
  /** Number of connections so far. */
  connections(): number;
  /** All bytes from the clients, as Latin-1. */
  sent(): string;
  close(): Promise<void>;
}

/** Listens on a free loopback port and forwards every connection to `port`. */
export async function startRecordingProxy(port: () => number): Promise<RecordingProxy> {
  let connections = 0;
  const chunks: Buffer[] = [];
  const server = createServer((client) => {
    connections += 1;
    const target = connect(port(), '127.0.0.1');
    client.on('data', (chunk) => chunks.push(chunk));
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
    client.pipe(target).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    sent: () => Buffer.concat(chunks).toString('latin1'),
    async close() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
