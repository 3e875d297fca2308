import type { Socket } from 'node:net';
import { Wakeup } from '../../core/run/wakeup.ts';

export interface ConnectionLineOptions {
  /** Number of further requests that may come in before some have been processed. */
  room: () => number;
  /** Longest wait in ms of the first in line; beyond it, no further connection joins. */
  waitedMaxMs: number;
}

/** Interval in ms of the search for capacity. Answers free it and are noticed at once, but not if their clients have disconnected. */
const LOOK_MS = 20;

/**
 * Connections of a crowd that are owed no answer, in the order in which they are read again (docs/decisions/0023). Until then the kernel
 * buffers what they send, at no cost here. In this process, those requests would survive one garbage collection after another, each of
 * which copies them. Without a crowd, no connection waits.
 */
export class ConnectionLine {
  readonly #options: ConnectionLineOptions;
  #waiting: { socket: Socket; sinceMs: number }[] = [];
  /** Connections that had the last turn. */
  #called: readonly Socket[] = [];
  readonly #wakeup = new Wakeup(() => this.#callNext());
  #look: NodeJS.Timeout | undefined;
  #isDissolved = false;
  /** True if all resting connections have joined in this turn of the event loop: finding them takes a look at every connection. */
  #hasAll = false;

  constructor(options: ConnectionLineOptions) {
    this.#options = options;
  }

  /** Number of connections that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Time in milliseconds that the first connection has been waiting. */
  get waitedMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : performance.now() - first.sinceMs;
  }

  /** Leaves a connection that is owed no answer unread until its turn, if there is a line or no capacity. */
  join(socket: Socket): void {
    const { room, waitedMaxMs } = this.#options;
    const isNeeded = this.#waiting.length > 0 || room() <= 0;
    if (isNeeded && this.waitedMs < waitedMaxMs) this.#push(socket);
    this.#beDue();
  }

  /**
   * Leaves all resting connections unread until their turn, for the moment when many of them start to send at once. Looks at them at most
   * once per turn of the event loop.
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

  /** Returns true if the latest bytes of a connection have waited for their turn in the line. */
  hasWaited(socket: Socket): boolean {
    return this.#called.includes(socket);
  }

  /** Resumes all connections, and lets none wait from now on. */
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
    if (this.#waiting.length > 0) this.#wakeup.wake();
  }

  #callNext(): void {
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
  }

  #call(count: number): void {
    this.#called = this.#waiting.splice(0, count).map(({ socket }) => socket);
    for (const socket of this.#called) socket.resume();
  }
}
