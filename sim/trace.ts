import { createHash, type Hash } from 'node:crypto';
import type { EventLoop } from './event-loop.ts';

const LINES_KEPT = 120;

/** Log of a run: its last lines in words, all of it as a hash. Two runs with the same hash did the same. */
export class Trace {
  readonly #loop: EventLoop;
  readonly #hash: Hash = createHash('sha256');
  #lines: string[] = [];

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Records an event. The text must not contain random values outside the seed, such as a message's id. */
  note(text: string): void {
    const line = `${this.#loop.nowMs.toFixed(3).padStart(11)} ${text}`;
    this.#hash.update(line);
    this.#lines.push(line);
    if (this.#lines.length >= 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
  }

  /** Returns the last events, oldest first. */
  tail(): string[] {
    return this.#lines.slice(-LINES_KEPT);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
