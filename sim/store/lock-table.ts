/** A holder of locks; compared by identity. */
export type Holder = object;

interface Request {
  holder: Holder;
  key: string;
  granted: () => void;
}

/**
 * Exclusive locks on named rows and unique keys, first come, first served. `release` calls the waiters back after it has freed all locks of
 * the leaving holder.
 */
export class LockTable {
  readonly #holders = new Map<string, Holder>();
  readonly #heldBy = new Map<Holder, Set<string>>();
  #waiting: Request[] = [];

  isHeldByOther(key: string, holder: Holder): boolean {
    const present = this.#holders.get(key);
    return present !== undefined && present !== holder;
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
    const present = this.#holders.get(key);
    if (present === holder) return 'held';
    if (present === undefined) {
      this.#hold(holder, key);
      return 'held';
    }
    if (this.#waitsFor(present, holder)) return 'deadlock';
    this.#waiting.push({ holder, key, granted });
    return 'waiting';
  }

  /** Frees all locks of a holder and removes its waiting request. */
  release(holder: Holder): void {
    this.#waiting = this.#waiting.filter((request) => request.holder !== holder);
    const keys = this.#heldBy.get(holder) ?? new Set<string>();
    this.#heldBy.delete(holder);
    for (const key of keys) this.#holders.delete(key);
    const granted: Request[] = [];
    this.#waiting = this.#waiting.filter((request) => {
      if (!keys.has(request.key) || this.#holders.has(request.key)) return true;
      this.#hold(request.holder, request.key);
      granted.push(request);
      return false;
    });
    for (const request of granted) request.granted();
  }

  #hold(holder: Holder, key: string): void {
    this.#holders.set(key, holder);
    const held = this.#heldBy.get(holder);
    if (held === undefined) this.#heldBy.set(holder, new Set([key]));
    else held.add(key);
  }

  /** Follows the chain of waits: a holder waits for at most one lock at a time. */
  #waitsFor(from: Holder, target: Holder): boolean {
    for (let at: Holder | undefined = from; at !== undefined; ) {
      if (at === target) return true;
      const waiter: Holder = at;
      const request = this.#waiting.find(({ holder }) => holder === waiter);
      at = request && this.#holders.get(request.key);
    }
    return false;
  }
}
