import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';

/** A connection to a server that can be cut, stalled and mended. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps every connection and accepts new ones, but forwards nothing. */
  stall(): void;
  /** Lets connections through again on the same port, and forwards the data of a stall. */
  mend(): Promise<void>;
  /** Withholds from now on all answers on the next connection that carries this text; resolves once a connection does. */
  silence(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a free loopback port and forwards every connection to `target`. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isStalled = false;
  const carried = new EventEmitter();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((client) => {
      const upstream = connect(target.port, target.host);
      track(client);
      track(upstream);
      client.on('data', (chunk) => carried.emit('data', chunk, () => upstream.unpipe(client)));
      client.pipe(upstream).pipe(client);
      if (isStalled) for (const socket of [client, upstream]) socket.pause();
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const port = await findFreePort();
  let server = await listen(port);
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  return {
    port,
    cut,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    async mend() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) server = await listen(port);
    },
    silence: (text) =>
      new Promise((resolve) => {
        const look = (chunk: Buffer, keepBack: () => void) => {
          if (!chunk.includes(text)) return;
          carried.off('data', look);
          keepBack();
          resolve();
        };
        carried.on('data', look);
      }),
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}
