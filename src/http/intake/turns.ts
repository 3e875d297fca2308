import { Wakeup } from '../../core/run/wakeup.ts';
import { keepTraceContext } from '../../telemetry/index.ts';

/**
 * Does work in order, over as many turns of the event loop as needed, with a fixed amount in each. Other work of the process continues in
 * between, above all accepting connections, of which a turn accepts one.
 */
export class Turns {
  readonly #atOnce: number;
  #waiting: { work: () => void; sinceMs: number }[] = [];
  readonly #wakeup = new Wakeup(() => this.#doSome());

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Number of items that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Time in milliseconds that the next item has been waiting. */
  get waitedMs(): number {
    const [next] = this.#waiting;
    return next === undefined ? 0 : performance.now() - next.sinceMs;
  }

  /** Does `work` after this turn's poll phase or in a later turn, in the trace context of this call. */
  add(work: () => void): void {
    this.#waiting.push({ work: keepTraceContext(work), sinceMs: performance.now() });
    this.#wakeup.wake();
  }

  #doSome(): void {
    const some = this.#waiting.splice(0, this.#atOnce);
    if (this.#waiting.length > 0) this.#wakeup.wake();
    for (const { work } of some) work();
  }
}
