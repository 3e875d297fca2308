import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Faults that a proxy injects. An absent member is off. */
export interface LinkFault {
  /** Delays every chunk to the client. */
  toClientDelayMs?: number;
  /** Delays every chunk to the server. */
  toServerDelayMs?: number;
  /** Highest rate to the client. */
  toClientBytesPerSecond?: number;
  /** Drops all data in both directions and closes nothing: a half-open connection, for the rest of its life. */
  blackHole?: boolean;
  /** Ends a connection in the middle of the next chunk to the client. */
  truncate?: boolean;
}

/** A TCP proxy on 127.0.0.1 that can inject faults. Lives as long as its process. */
export class TcpProxy {
  readonly #targets: readonly number[];
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #fault: LinkFault = {};

  private constructor(targets: readonly number[]) {
    this.#targets = targets;
    this.#server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => void this.#accept(client));
  }

  /** Resolves once the proxy listens on a free port. For each connection it tries the target ports on 127.0.0.1 in this order. */
  static async open(targets: readonly number[]): Promise<TcpProxy> {
    const proxy = new TcpProxy(targets);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Applies a fault from now on, also to open connections. */
  misbehave(fault: LinkFault): void {
    this.#fault = fault;
    for (const link of this.#links) link.misbehave(fault);
  }

  /** Resets every open connection on both sides. */
  resetAll(): void {
    for (const link of this.#links) link.reset();
  }

  async #accept(client: Socket): Promise<void> {
    client.on('error', () => {});
    if (this.#fault.blackHole) {
      this.#track(new Link(client, null));
      return;
    }
    for (const port of this.#targets) {
      const server = connect({ port, host: '127.0.0.1', noDelay: true });
      if (!(await isConnected(server))) continue;
      this.#track(new Link(client, server));
      return;
    }
    client.resetAndDestroy();
  }

  #track(link: Link): void {
    this.#links.add(link);
    link.misbehave(this.#fault);
    link.start(() => this.#links.delete(link));
  }
}

/** One proxied connection; `server` is null if no target accepted it. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket | null;
  #fault: LinkFault = {};
  #isBlackHole = false;

  constructor(client: Socket, server: Socket | null) {
    this.#client = client;
    this.#server = server;
  }

  misbehave(fault: LinkFault): void {
    this.#fault = fault;
    if (fault.blackHole) this.#isBlackHole = true;
  }

  start(ended: () => void): void {
    const [client, server] = [this.#client, this.#server];
    client.once('close', () => {
      server?.destroy();
      ended();
    });
    client.resume();
    if (server === null) return;
    server.once('close', (failed) => {
      if (failed) client.resetAndDestroy();
      else client.end();
    });
    this.#forward(client, server, () => this.#fault.toServerDelayMs ?? 0, false);
    this.#forward(server, client, () => this.#fault.toClientDelayMs ?? 0, true);
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  /** Forwards chunks in order: each leaves no earlier than the one before it. */
  #forward(from: Socket, to: Socket, delayMs: () => number, toClient: boolean): void {
    let freeAtMs = 0;
    const leave = (send: () => void, bytes: number) => {
      const nowMs = performance.now();
      const bytesPerSecond = toClient ? this.#fault.toClientBytesPerSecond : undefined;
      const transferMs = bytesPerSecond === undefined ? 0 : (bytes * 1000) / bytesPerSecond;
      freeAtMs = Math.max(freeAtMs, nowMs + delayMs()) + transferMs;
      if (freeAtMs <= nowMs) send();
      else setTimeout(send, freeAtMs - nowMs);
    };
    from.on('data', (chunk) => {
      if (this.#isBlackHole) return;
      if (toClient && this.#fault.truncate) {
        to.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => this.reset());
        return;
      }
      leave(() => {
        if (!to.destroyed && !to.writableEnded) to.write(chunk);
      }, chunk.length);
    });
    from.on('end', () => {
      if (!this.#isBlackHole) leave(() => to.end(), 0);
    });
    from.on('error', () => {
      if (!this.#isBlackHole) to.resetAndDestroy();
    });
  }
}

function isConnected(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
}
