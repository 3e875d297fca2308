import type { Clock } from '../core/time/clock.ts';
import { EgressError } from './egress-failure.ts';

/** A time limit for one exchange, as a signal for whatever takes part in it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /**
   * Settles like `work`, or rejects when the deadline passes first. Needed around whatever heeds the signal only at
   * times: the HTTP client ignores it while a request waits for its connection.
   */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock and lets go of the outer signal. Must be called when the exchange is over, and only then: its place is another's afterwards. */
  end(): void;
}

/**
 * The deadlines of many exchanges, to be aborted together. One of them costs the same however many there are, which it would not
 * if each listened to one `AbortSignal`: that goes through all its listeners for every one that comes or goes.
 */
export class Deadlines {
  readonly #clock: Clock;
  /** Of those under way, each in a place that another may have had: a `Set` would keep many alive long after (`docs/decisions/0020`). */
  readonly #aborts: ((() => void) | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #isAborted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins one that aborts with `timeout` after `timeoutMs`, or with `aborted` as soon as `signal` fires or all are aborted. */
  start(timeoutMs: number, signal?: AbortSignal): Deadline {
    const controller = new AbortController();
    const abort = () => controller.abort(new EgressError('aborted'));
    const cancel = this.#clock.schedule(timeoutMs, () => controller.abort(new EgressError('timeout')));
    const { promise: passed, reject } = Promise.withResolvers<never>();
    // The signal alone may be heeded, and then nobody listens here.
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

  /** Aborts all, and those to come as they begin. */
  abort(): void {
    this.#isAborted = true;
    for (const abort of this.#aborts) abort?.();
  }
}
