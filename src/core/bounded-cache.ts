/** What a cache remembers of loads, at most `max` of them; the least recently used goes first. */
export interface BoundedCache<Key, Value> {
  /**
   * The value of `key`: at once when it is cached, else a promise of its load. Callers that ask while a load is running
   * share it. A failed load rejects for those who waited and is not remembered.
   */
  get(key: Key): Value | Promise<Value>;
  /** Forgets `key`. Who is waiting for it gets a value loaded after this call. */
  invalidate(key: Key): void;
  /** Forgets everything, as `invalidate` does. */
  clear(): void;
}

export interface BoundedCacheOptions<Key, Value> {
  /** Most values kept. */
  max: number;
  /** Most answers "there is none" (`undefined`) kept, apart from the values: a flood of wrong keys cannot push out the right ones. Default: `max`. */
  missesMax?: number;
  /** The truth. `undefined` means that there is none. */
  load: (key: Key) => Promise<Value>;
  /** How long a value may serve; without it, until it is invalidated or pushed out. */
  expiry?: { afterMs: number; monotonicMs: () => number };
}

interface Entry<Value> {
  value: Value;
  expiresAtMs: number;
}

interface Flight<Value> {
  /** An invalidation came since its load began. */
  outdated: boolean;
  value: Promise<Value>;
}

/**
 * Caches the loads of a slower truth.
 *
 * An invalidation can arrive while a load is on its way, and the load may have read before the change: its result is then
 * thrown away and loaded anew, for those already waiting and for those who join them.
 */
export function createBoundedCache<Key, Value>(options: BoundedCacheOptions<Key, Value>): BoundedCache<Key, Value> {
  const { load, expiry } = options;
  const found = new Map<Key, Entry<Value>>();
  const missing = new Map<Key, Entry<Value>>();
  const flights = new Map<Key, Flight<Value>>();

  /** Maps iterate in insertion order, so re-inserting on use keeps the least recently used entry first. */
  function recall(entries: Map<Key, Entry<Value>>, key: Key): Entry<Value> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (expiry !== undefined && expiry.monotonicMs() >= entry.expiresAtMs) return undefined;
    entries.set(key, entry);
    return entry;
  }

  function remember(key: Key, value: Value, loadedAtMs: number): void {
    const [entries, max] = value === undefined ? [missing, options.missesMax ?? options.max] : [found, options.max];
    entries.set(key, { value, expiresAtMs: loadedAtMs + (expiry?.afterMs ?? 0) });
    if (entries.size <= max) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      return;
    }
  }

  async function land(key: Key, flight: Flight<Value>): Promise<Value> {
    try {
      for (;;) {
        flight.outdated = false;
        // A value is as old as the moment its load began.
        const loadedAtMs = expiry?.monotonicMs() ?? 0;
        const value = await load(key);
        if (flight.outdated) continue;
        remember(key, value, loadedAtMs);
        return value;
      }
    } finally {
      flights.delete(key);
    }
  }

  return {
    get(key) {
      const entry = recall(found, key) ?? recall(missing, key);
      if (entry !== undefined) return entry.value;
      const running = flights.get(key);
      if (running !== undefined) return running.value;
      const flight: Flight<Value> = { outdated: false, value: Promise.resolve().then(() => land(key, flight)) };
      flights.set(key, flight);
      return flight.value;
    },
    invalidate(key) {
      found.delete(key);
      missing.delete(key);
      const flight = flights.get(key);
      if (flight !== undefined) flight.outdated = true;
    },
    clear() {
      found.clear();
      missing.clear();
      for (const flight of flights.values()) flight.outdated = true;
    },
  };
}
