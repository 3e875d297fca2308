/** What a cache remembers of loads, at most `max` of them. What has not been used for long goes first. */
export interface BoundedCache<Key, Value> {
  /**
   * The value of `key`: at once when it is cached, else a promise of its load. Callers that ask while a load is running
   * share it. A failed load rejects for those who waited and is not remembered.
   */
  get(key: Key): Value | Promise<Value>;
  /** Forgets `key`. Whoever asks for it from now on gets a value loaded after this call. */
  invalidate(key: Key): void;
  /** Forgets everything, as `invalidate` does. */
  clear(): void;
}

export interface BoundedCacheOptions<Key, Value> {
  /** Most values kept; and as many answers "there is none" (`undefined`), apart: a flood of wrong keys cannot push out the right ones. */
  max: number;
  /** The truth. `undefined` means that there is none. */
  load: (key: Key) => Promise<Value>;
  /** How long a value may serve; without it, until it is invalidated or pushed out. */
  expiry?: { afterMs: number; monotonicMs: () => number };
}

interface Entry<Value> {
  value: Value;
  expiresAtMs: number;
  /** Since it was put where it stands in its map. */
  used: boolean;
}

interface Flight<Value> {
  /** An invalidation came since its load began. */
  outdated: boolean;
  value: Promise<Value>;
}

/**
 * Caches the loads of a slower truth.
 *
 * An invalidation can arrive while a load is on its way, and the load may have read before the change: its result is then for
 * those alone who were waiting already, and is not remembered. Who comes later waits for the next load, so of each key one is on its
 * way at a time, and nobody waits for more than two, however often a slow truth changes.
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
   * Maps iterate in insertion order. The oldest entry goes unless it has been used, then it gets a second chance at the young end:
   * close to least recently used, and a use costs no more than setting a mark.
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
      // A value is as old as the moment its load began.
      const loadedAtMs = expiry?.monotonicMs() ?? 0;
      const value = await load(key);
      if (!flight.outdated) remember(key, value, loadedAtMs);
      return value;
    } finally {
      flights.delete(key);
    }
  }

  /** What those get who ask after an invalidation: one load for all, which begins when the one on its way has ended, well or not. */
  function startAfter(key: Key, flight: Flight<Value>): Promise<Value> {
    // The first of them, or whoever asked as it ended, has begun that load already.
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
