import { keepTraceContext } from '../../telemetry/index.ts';

/**
 * Does what there is to do in its order, over as many turns of the event loop as it takes, so much in each. The other work of the process
 * gets on in between; connections above all, of which a turn takes in one.
 */
export class Turns {
  readonly #atOnce: number;
  #waiting: { work: () => void; sinceMs: number }[] = [];
  #isDue = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** How much there is to do. */
  get length(): number {
    return this.#waiting.length;
  }

  /** For how long what is next has been waiting, in milliseconds. */
  get waitedMs(): number {
    const [next] = this.#waiting;
    return next === undefined ? 0 : performance.now() - next.sinceMs;
  }

  /** Does `work` in this turn, once its poll is over, or in a later one, in the trace context of now. */
  add(work: () => void): void {
    this.#waiting.push({ work: keepTraceContext(work), sinceMs: performance.now() });
    this.#beDue();
  }

  #beDue(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const some = this.#waiting.splice(0, this.#atOnce);
      if (this.#waiting.length > 0) this.#beDue();
      for (const { work } of some) work();
    });
  }
}
