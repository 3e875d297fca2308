import { type buildConnector, Pool } from 'undici';
import type { VettedUrl } from './url-policy.ts';

export interface PoolLimits {
  connectionsPerPoolMax: number;
  poolsMax: number;
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
 * Keep-alive connections, one pool per party and origin, least recently used first. Pools are separate per party because endpoints of
 * many parties share a host: one party that uses up a common pool would keep the others waiting.
 *
 * A pool without connections is dropped at once. Beyond `poolsMax` pools or `socketsMax` open sockets, idle pools are dropped,
 * least recently used first. Pools in use are never dropped, so only the caller's own concurrency bounds those.
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

  /** Number of pools, and of open sockets in all of them. */
  get size(): { pools: number; sockets: number } {
    return { pools: this.#entries.size, sockets: this.#openSockets };
  }

  /** Runs `work` with the party's pool of the URL's origin; the pool stays open until `work` has settled. */
  async use<T>(party: string, vetted: VettedUrl, work: (pool: Pool) => Promise<T>): Promise<T> {
    const key = `${party} ${vetted.url.origin}`;
    const entry = this.#entries.get(key) ?? this.#createEntry(key, vetted);
    // Re-inserting moves the entry to the young end of the map.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.inUse += 1;
    try {
      return await work(entry.pool);
    } finally {
      entry.inUse -= 1;
      this.#dropIfUnused(key, entry);
    }
  }

  /** Closes every connection, including busy ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(({ pool }) => pool.destroy()));
  }

  #createEntry(key: string, vetted: VettedUrl): PoolEntry {
    this.#evictIdle();
    const pool = new Pool(vetted.url.origin, {
      connect: this.#countSockets(this.#createConnector(vetted)),
      connections: this.#limits.connectionsPerPoolMax,
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
    pool.on('disconnect', () => this.#dropIfUnused(key, entry));
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
    const { poolsMax, socketsMax } = this.#limits;
    // Sockets report their end later, so dropped ones are subtracted here.
    let socketsLeft = this.#openSockets;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size < poolsMax && socketsLeft < socketsMax) return;
      if (entry.inUse > 0) continue;
      socketsLeft -= entry.pool.stats.connected;
      this.#drop(key, entry);
    }
  }

  #dropIfUnused(key: string, entry: PoolEntry): void {
    const isCurrent = this.#entries.get(key) === entry;
    if (isCurrent && entry.inUse === 0 && entry.pool.stats.connected === 0) this.#drop(key, entry);
  }

  #drop(key: string, entry: PoolEntry): void {
    this.#entries.delete(key);
    void entry.pool.destroy();
  }
}
