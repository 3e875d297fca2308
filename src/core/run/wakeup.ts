import { runDetached } from './detached.ts';

/**
 * Coalesces wake-ups: all calls of `wake` in one turn of the event loop run the work once, at the end of that turn, when all changes of the
 * turn are known. A call from within the work runs it again in the next turn. The work runs outside the async context of its callers.
 */
export class Wakeup {
  readonly #work: () => unknown;
  #isDue = false;
  #isStopped = false;

  constructor(work: () => unknown) {
    this.#work = work;
  }

  wake(): void {
    if (this.#isDue || this.#isStopped) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (!this.#isStopped) runDetached(this.#work);
    });
  }

  /** Drops a due run; later calls of `wake` do nothing. */
  stop(): void {
    this.#isStopped = true;
  }
}
