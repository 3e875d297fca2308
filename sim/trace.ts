import { createHash, type Hash } from 'node:crypto';
import type { EventLoop } from './event-loop.ts';

const LINES_KEPT = 120;

/** What happened in a run: its end in words, all of it as a hash. Two runs with the same hash did the same. */
export class Trace {
  readonly #loop: EventLoop;
  readonly #hash: Hash = createHash('sha256');
  #lines: string[] = [];

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Notes an event. Nothing random beyond the seed, such as a message's id, may be part of it. */
  note(text: string): void {
    const line = `${this.#loop.nowMs.toFixed(3).padStart(11)} ${text}`;
    this.#hash.update(line);
    this.#lines.push(line);
    if (this.#lines.length >= 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
  }

  /** The last events, oldest first. */
  tail(): string[] {
    return this.#lines.slice(-LINES_KEPT);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
