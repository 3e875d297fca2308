import { type buildConnector, Pool } from 'undici';
import type { VettedUrl } from './url-policy.ts';

export interface PoolLimits {
  connectionsPerOriginMax: number;
  originsMax: number;
  socketsMax: number;
  idleTimeoutMs: number;
  connectionLifetimeMs: number;
  headerBytesMax: number;
}

interface PoolEntry {
  pool: Pool;
  inUse: number;
}

/**
 * Keep-alive connections, one pool per origin, least recently used first.
 *
 * A pool without connections is dropped at once. Beyond `originsMax` pools or `socketsMax` open sockets the idle pools
 * go first, oldest use first; pools in use are never taken away, so what bounds those is the caller's own concurrency.
 * A connection is closed after `connectionLifetimeMs`, so that an endpoint that moved is found again.
 */
export class OriginPools implements AsyncDisposable {
  readonly #entries = new Map<string, PoolEntry>();
  readonly #createConnector: (vetted: VettedUrl) => buildConnector.connector;
  readonly #limits: PoolLimits;
  #openSockets = 0;

  constructor(createConnector: (vetted: VettedUrl) => buildConnector.connector, limits: PoolLimits) {
    this.#createConnector = createConnector;
    this.#limits = limits;
  }

  /** Number of origins with a pool, and of sockets open in all of them. */
  get size(): { origins: number; sockets: number } {
    return { origins: this.#entries.size, sockets: this.#openSockets };
  }

  /** Runs `work` with the pool of the URL's origin; the pool stays open until `work` has settled. */
  async use<T>(vetted: VettedUrl, work: (pool: Pool) => Promise<T>): Promise<T> {
    const { origin } = vetted.url;
    const entry = this.#entries.get(origin) ?? this.#createEntry(vetted);
    // Re-inserting moves the entry to the young end of the map.
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    entry.inUse += 1;
    try {
      return await work(entry.pool);
    } finally {
      entry.inUse -= 1;
      this.#dropIfUnused(origin, entry);
    }
  }

  /** Ends every connection, busy ones too. */
  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(({ pool }) => pool.destroy()));
  }

  #createEntry(vetted: VettedUrl): PoolEntry {
    this.#evictIdle();
    const { origin } = vetted.url;
    const pool = new Pool(origin, {
      connect: this.#countSockets(this.#createConnector(vetted)),
      connections: this.#limits.connectionsPerOriginMax,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: this.#limits.idleTimeoutMs,
      keepAliveMaxTimeout: this.#limits.idleTimeoutMs,
      clientTtl: this.#limits.connectionLifetimeMs,
      maxHeaderSize: this.#limits.headerBytesMax,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const entry = { pool, inUse: 0 };
    pool.on('disconnect', () => this.#dropIfUnused(origin, entry));
    return entry;
  }

  #countSockets(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket !== null) {
          this.#openSockets += 1;
          socket.once('close', () => {
            this.#openSockets -= 1;
          });
        }
        callback(...result);
      });
  }

  #evictIdle(): void {
    const { originsMax, socketsMax } = this.#limits;
    // Sockets report their end later, so what is dropped here is counted here.
    let socketsLeft = this.#openSockets;
    for (const [origin, entry] of this.#entries) {
      if (this.#entries.size < originsMax && socketsLeft < socketsMax) return;
      if (entry.inUse > 0) continue;
      socketsLeft -= entry.pool.stats.connected;
      this.#drop(origin, entry);
    }
  }

  #dropIfUnused(origin: string, entry: PoolEntry): void {
    const isCurrent = this.#entries.get(origin) === entry;
    if (isCurrent && entry.inUse === 0 && entry.pool.stats.connected === 0) this.#drop(origin, entry);
  }

  #drop(origin: string, entry: PoolEntry): void {
    this.#entries.delete(origin);
    void entry.pool.destroy();
  }
}
