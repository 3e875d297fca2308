import { connect, createServer, isIP, type Server, type Socket } from 'node:net';
import type { Dial } from '../../../src/egress/open-connection.ts';
import type { ResolveHost } from '../../../src/egress/resolve-host.ts';

export interface VirtualInternet extends AsyncDisposable {
  resolveHost: ResolveHost;
  /** Reaches the sites at their public addresses, the real loopback at its own, and nothing else. */
  dial: Dial;
  /** Starts `server` on a free loopback port and makes it reachable as `hostname` at a public address, on every port. */
  addSite(hostname: string, server: Server): Promise<void>;
  /** Sets the DNS answers of a name, one list per look-up; the last list repeats. */
  setAnswers(hostname: string, ...answers: string[][]): void;
  /** Every address dialled so far. */
  dialled: string[];
  lookUps: Map<string, number>;
}

/**
 * A network with public addresses that does not leave the machine. A connection to a site's public address goes to a loopback listener and
 * reports the public address as its remote end.
 */
export function createVirtualInternet(): VirtualInternet {
  const answersByName = new Map<string, string[][]>();
  const portsByAddress = new Map<string, number>();
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const dialled: string[] = [];
  const lookUps = new Map<string, number>();

  return {
    dialled,
    lookUps,
    resolveHost: async (hostname) => {
      lookUps.set(hostname, (lookUps.get(hostname) ?? 0) + 1);
      const answers = answersByName.get(hostname) ?? [];
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) throw new Error('ENOTFOUND');
      return answer;
    },
    dial: ({ addresses, port }) => {
      const address = addresses[0] ?? '';
      dialled.push(address);
      const sitePort = portsByAddress.get(address);
      if (sitePort === undefined) return dialLoopback(address, port);
      const socket = connect({ host: '127.0.0.1', port: sitePort });
      Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
      return socket;
    },
    setAnswers: (hostname, ...answers) => {
      answersByName.set(hostname, answers);
    },
    async addSite(hostname, server) {
      servers.push(server);
      server.on('connection', (socket: Socket) => sockets.add(socket));
      const port = await listen(server, '127.0.0.1');
      const address = `93.184.216.${servers.length}`;
      portsByAddress.set(address, port);
      answersByName.set(hostname, [[address]]);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map(close));
    },
  };
}

export interface Canary extends AsyncDisposable {
  port: number;
  /** Connections accepted so far, on any loopback address. */
  connections(): number;
}

/** Listens on 127.0.0.1 and, where the machine has it, on ::1, both on one port; answers any request with 200. */
export async function startCanary(): Promise<Canary> {
  let accepted = 0;
  const onConnection = (socket: Socket) => {
    accepted += 1;
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 6\r\nconnection: close\r\n\r\ncanary');
    });
  };
  const first = createServer(onConnection);
  const port = await listen(first, '127.0.0.1');
  const second = createServer(onConnection);
  const servers = await listen(second, '::1', port).then(
    () => [first, second],
    () => [first],
  );
  return {
    port,
    connections: () => accepted,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(close));
    },
  };
}

function dialLoopback(address: string, port: number): Socket {
  const isLoopback =
    address.startsWith('127.') || ['0.0.0.0', '::', '::1'].includes(address) || /^::ffff:7f/.test(address);
  if (isIP(address) !== 0 && isLoopback) return connect({ host: address, port });
  // Port 1 of the loopback is always closed, so it acts as an unreachable host.
  return connect({ host: '127.0.0.1', port: 1 });
}

function listen(server: Server, host: string, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
