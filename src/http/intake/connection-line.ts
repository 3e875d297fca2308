import type { Socket } from 'node:net';

export interface ConnectionLineOptions {
  /** How many more requests may come in before some have been worked through. */
  room: () => number;
  /** Behind one that has been waiting for so long, none joins. */
  waitedMaxMs: number;
}

/** Room comes with answers, which are looked for as they are given; but not where their clients have gone. */
const LOOK_MS = 20;

/**
 * The connections of a crowd that are owed no answer, in the order in which they are read again (docs/decisions/0023). Until then what they
 * send waits with the kernel, where it costs nothing: kept here it would outlive collection after collection, each of which copies it.
 * Without a crowd nobody waits.
 */
export class ConnectionLine {
  readonly #options: ConnectionLineOptions;
  #waiting: { socket: Socket; sinceMs: number }[] = [];
  /** Those whose turn came last. */
  #called: readonly Socket[] = [];
  #isDue = false;
  #look: NodeJS.Timeout | undefined;
  #isDissolved = false;
  /** Whether all that rest have joined in this turn of the event loop: to look for them takes a look at every connection. */
  #hasAll = false;

  constructor(options: ConnectionLineOptions) {
    this.#options = options;
  }

  /** How many connections wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** For how long the first has been waiting, in milliseconds. */
  get waitedMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : performance.now() - first.sinceMs;
  }

  /** Leaves a connection that is owed no answer unread until its turn, where there is a line or no room. */
  join(socket: Socket): void {
    const { room, waitedMaxMs } = this.#options;
    const isNeeded = this.#waiting.length > 0 || room() <= 0;
    if (isNeeded && this.waitedMs < waitedMaxMs) this.#push(socket);
    this.#beDue();
  }

  /**
   * Leaves all that rest unread until their turn, for when many of them begin to send at once. Looks at them no more often than once in a
   * turn of the event loop.
   */
  joinAll(resting: Iterable<Socket>): void {
    if (this.#hasAll) return;
    this.#hasAll = true;
    setImmediate(() => {
      this.#hasAll = false;
    });
    for (const socket of resting) if (!socket.isPaused()) this.#push(socket);
    this.#beDue();
  }

  /** Whether what a connection has just sent has waited for its turn in the line. */
  hasWaited(socket: Socket): boolean {
    return this.#called.includes(socket);
  }

  /** Has all read on from now on. */
  dissolve(): void {
    this.#isDissolved = true;
    this.#call(this.#waiting.length);
  }

  #push(socket: Socket): void {
    if (this.#isDissolved) return;
    socket.pause();
    this.#waiting.push({ socket, sinceMs: performance.now() });
  }

  #beDue(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const room = this.#options.room();
      if (room > 0) {
        this.#call(room);
        this.#beDue();
      } else {
        this.#look ??= setTimeout(() => {
          this.#look = undefined;
          this.#beDue();
        }, LOOK_MS).unref();
      }
    });
  }

  #call(count: number): void {
    this.#called = this.#waiting.splice(0, count).map(({ socket }) => socket);
    for (const socket of this.#called) socket.resume();
  }
}
