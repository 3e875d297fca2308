/** Caches at most `max` loaded values, evicting approximately the least recently used. */
export interface BoundedCache<Key, Value> {
  /**
   * The value of `key`: directly if it is cached, otherwise a promise of its load. Callers during a load share it. A failed load rejects
   * for its waiting callers and is not cached.
   */
  get(key: Key): Value | Promise<Value>;
  /** Removes `key`. Every later caller gets a value loaded after this call. */
  invalidate(key: Key): void;
  /** Removes all keys, with the effect of `invalidate`. */
  clear(): void;
}

export interface BoundedCacheOptions<Key, Value> {
  /** Most values kept. As many misses (`undefined`) are kept separately, so that a flood of wrong keys cannot evict values. */
  max: number;
  /** Loads from the source. `undefined` means that there is no value. */
  load: (key: Key) => Promise<Value>;
  /** Lifetime of a value; without it, values stay until they are invalidated or evicted. */
  expiry?: { afterMs: number; monotonicMs: () => number };
}

interface Entry<Value> {
  value: Value;
  expiresAtMs: number;
  /** Used since its insertion at the current position of its map. */
  used: boolean;
}

interface Flight<Value> {
  /** Invalidated since its load began. */
  outdated: boolean;
  value: Promise<Value>;
}

/**
 * Creates a cache for the loads of a slower source.
 *
 * An invalidation can arrive during a load that may have read before the change. Its result then goes only to callers that already
 * waited, and is not cached. Later callers wait for the next load. So at most one load per key is in progress, and no caller waits for
 * more than two loads, however often the source changes.
 */
export function createBoundedCache<Key, Value>(options: BoundedCacheOptions<Key, Value>): BoundedCache<Key, Value> {
  const { max, load, expiry } = options;
  const found = new Map<Key, Entry<Value>>();
  const missing = new Map<Key, Entry<Value>>();
  const flights = new Map<Key, Flight<Value>>();

  function recall(entries: Map<Key, Entry<Value>>, key: Key): Entry<Value> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (expiry !== undefined && expiry.monotonicMs() >= entry.expiresAtMs) {
      entries.delete(key);
      return undefined;
    }
    entry.used = true;
    return entry;
  }

  function remember(key: Key, value: Value, loadedAtMs: number): void {
    const entries = value === undefined ? missing : found;
    entries.set(key, { value, expiresAtMs: loadedAtMs + (expiry?.afterMs ?? 0), used: false });
    if (entries.size > max) forgetOne(entries);
  }

  /**
   * Evicts one entry. Maps iterate in insertion order: the oldest entry is evicted. If it was used, it moves to the young end once
   * instead. This approximates least recently used, and a use only sets a flag.
   */
  function forgetOne(entries: Map<Key, Entry<Value>>): void {
    for (const [key, entry] of entries) {
      entries.delete(key);
      if (!entry.used) return;
      entry.used = false;
      entries.set(key, entry);
    }
  }

  function start(key: Key): Promise<Value> {
    const flight: Flight<Value> = {
      outdated: false,
      value: Promise.resolve().then(() => land(key, flight)),
    };
    flights.set(key, flight);
    return flight.value;
  }

  async function land(key: Key, flight: Flight<Value>): Promise<Value> {
    try {
      // A value is as old as the start of its load.
      const loadedAtMs = expiry?.monotonicMs() ?? 0;
      const value = await load(key);
      if (!flight.outdated) remember(key, value, loadedAtMs);
      return value;
    } finally {
      flights.delete(key);
    }
  }

  /** Serves callers after an invalidation: one shared load, which starts when the current load has ended, with or without success. */
  function startAfter(key: Key, flight: Flight<Value>): Promise<Value> {
    // The first of these callers, or a caller at the end of the load, may have started that load already.
    const startNext = () => flights.get(key)?.value ?? start(key);
    return flight.value.then(startNext, startNext);
  }

  return {
    get(key) {
      const entry = recall(found, key) ?? recall(missing, key);
      if (entry !== undefined) return entry.value;
      const running = flights.get(key);
      if (running === undefined) return start(key);
      return running.outdated ? startAfter(key, running) : running.value;
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
