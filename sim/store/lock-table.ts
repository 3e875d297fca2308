/** A holder of locks; compared by identity. */
export type Holder = object;

interface Request {
  holder: Holder;
  key: string;
  granted: () => void;
}

/** Begins the key of a lock that its holders share. It excludes holders of the same key without this mark. */
export const SHARED = '~';

/**
 * Locks on named rows and unique keys, first come, first served: exclusive, or shared. `release` calls the waiters back after it has freed all
 * locks of the leaving holder.
 */
export class LockTable {
  /** By name: the holders, and true if they share the lock. */
  readonly #locks = new Map<string, { holders: Set<Holder>; isShared: boolean }>();
  readonly #heldBy = new Map<Holder, Set<string>>();
  #waiting: Request[] = [];

  isHeldByOther(key: string, holder: Holder): boolean {
    const lock = this.#locks.get(nameOf(key));
    return lock !== undefined && [...lock.holders].some((other) => other !== holder);
  }

  /** Stops waiting; keeps the locks already held. */
  stopWaiting(holder: Holder): void {
    this.#waiting = this.#waiting.filter((request) => request.holder !== holder);
  }

  /**
   * Takes the lock at once (`held`), waits for it and calls `granted` (`waiting`), or refuses because the wait would never end
   * (`deadlock`).
   */
  acquire(holder: Holder, key: string, granted: () => void): 'held' | 'waiting' | 'deadlock' {
    const blocking = this.#blocking(holder, key);
    if (blocking.length === 0) {
      this.#hold(holder, key);
      return 'held';
    }
    if (blocking.some((present) => this.#waitsFor(present, holder))) return 'deadlock';
    this.#waiting.push({ holder, key, granted });
    return 'waiting';
  }

  /** Frees all locks of a holder and removes its waiting request. */
  release(holder: Holder): void {
    this.#waiting = this.#waiting.filter((request) => request.holder !== holder);
    const names = this.#heldBy.get(holder) ?? new Set<string>();
    this.#heldBy.delete(holder);
    for (const name of names) {
      const lock = this.#locks.get(name);
      lock?.holders.delete(holder);
      if (lock?.holders.size === 0) this.#locks.delete(name);
    }
    const granted: Request[] = [];
    this.#waiting = this.#waiting.filter((request) => {
      if (!names.has(nameOf(request.key)) || this.#blocking(request.holder, request.key).length > 0) return true;
      this.#hold(request.holder, request.key);
      granted.push(request);
      return false;
    });
    for (const request of granted) request.granted();
  }

  /** Returns the holders that a request has to wait for. */
  #blocking(holder: Holder, key: string): Holder[] {
    const lock = this.#locks.get(nameOf(key));
    if (lock === undefined || (lock.isShared && key.startsWith(SHARED))) return [];
    return [...lock.holders].filter((other) => other !== holder);
  }

  #hold(holder: Holder, key: string): void {
    const name = nameOf(key);
    const lock = this.#locks.get(name) ?? { holders: new Set<Holder>(), isShared: true };
    lock.isShared &&= key.startsWith(SHARED);
    lock.holders.add(holder);
    this.#locks.set(name, lock);
    const held = this.#heldBy.get(holder);
    if (held === undefined) this.#heldBy.set(holder, new Set([name]));
    else held.add(name);
  }

  /** Follows the chain of waits: a holder waits for at most one lock at a time. */
  #waitsFor(from: Holder, target: Holder, seen = new Set<Holder>()): boolean {
    if (from === target) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    const request = this.#waiting.find(({ holder }) => holder === from);
    if (request === undefined) return false;
    return this.#blocking(from, request.key).some((next) => this.#waitsFor(next, target, seen));
  }
}

function nameOf(key: string): string {
  return key.startsWith(SHARED) ? key.slice(SHARED.length) : key;
}
