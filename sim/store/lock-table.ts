/** Whoever can hold locks; compared by identity. */
export type Holder = object;

interface Request {
  holder: Holder;
  key: string;
  granted: () => void;
}

/**
 * Exclusive locks on named rows and unique keys, first come first served. Callbacks of those who waited run in `release`, after
 * everything the leaving holder held has been given back.
 */
export class LockTable {
  readonly #holders = new Map<string, Holder>();
  readonly #heldBy = new Map<Holder, Set<string>>();
  #waiting: Request[] = [];

  isHeldByOther(key: string, holder: Holder): boolean {
    const present = this.#holders.get(key);
    return present !== undefined && present !== holder;
  }

  /** Gives up waiting; what is held stays held. */
  stopWaiting(holder: Holder): void {
    this.#waiting = this.#waiting.filter((request) => request.holder !== holder);
  }

  /** Takes the lock at once (`held`), waits for it and calls `granted` (`waiting`), or refuses because waiting would never end (`deadlock`). */
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

  /** Gives back everything of a holder, what it waits for included. */
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

  /** A holder waits for one lock at a time, so the way from one to the next is a chain. */
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
