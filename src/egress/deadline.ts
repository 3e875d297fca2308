import type { Clock } from '../core/time/clock.ts';
import { EgressError } from './egress-failure.ts';

/** Time limit of one exchange, as a signal for all its steps. */
export interface Deadline {
  readonly signal: AbortSignal;
  /**
   * Settles like `work`, or rejects if the deadline passes first. Needed around work that checks the signal only at times: the HTTP client
   * ignores it while a request waits for its connection.
   */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the timer and detaches from the outer signal. Call it once, when the exchange is over: its slot is reused afterwards. */
  end(): void;
}

/**
 * Manages the deadlines of many exchanges, which can be aborted together. A deadline costs the same however many exist. With one shared
 * `AbortSignal`, each added or removed listener would walk through all the others.
 */
export class Deadlines {
  readonly #clock: Clock;
  /** Abort functions of running deadlines, in reusable slots: a `Set` would keep many objects alive for long (`docs/decisions/0020`). */
  readonly #aborts: ((() => void) | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #isAborted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a deadline. It aborts with `timeout` after `timeoutMs`, or with `aborted` when `signal` fires or all are aborted. */
  start(timeoutMs: number, signal?: AbortSignal): Deadline {
    const controller = new AbortController();
    const abort = () => controller.abort(new EgressError('aborted'));
    const cancel = this.#clock.schedule(timeoutMs, () => controller.abort(new EgressError('timeout')));
    const { promise: passed, reject } = Promise.withResolvers<never>();
    // An exchange may use the signal only; then this rejection has no other handler.
    passed.catch(() => {});
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
    const place = this.#freePlaces.pop() ?? this.#aborts.length;
    this.#aborts[place] = abort;
    signal?.addEventListener('abort', abort, { once: true });
    if (this.#isAborted || signal?.aborted) abort();
    return {
      signal: controller.signal,
      race: (work) => Promise.race([work, passed]),
      end: () => {
        cancel();
        this.#aborts[place] = undefined;
        this.#freePlaces.push(place);
        signal?.removeEventListener('abort', abort);
      },
    };
  }

  /** Aborts all running deadlines, and later ones as they start. */
  abort(): void {
    this.#isAborted = true;
    for (const abort of this.#aborts) abort?.();
  }
}
