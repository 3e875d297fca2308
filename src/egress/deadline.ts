import type { Clock } from '../core/clock.ts';
import { EgressError } from './egress-failure.ts';

/** A time limit for one exchange, as a signal for whatever takes part in it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /**
   * Settles like `work`, or rejects when the deadline passes first. Needed around whatever heeds the signal only at
   * times: the HTTP client ignores it while a request waits for its connection.
   */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock and lets go of the outer signals. Must be called once the exchange is over. */
  end(): void;
}

/** Aborts with `timeout` after `timeoutMs`, or with `aborted` as soon as one of `signals` fires. */
export function startDeadline(clock: Clock, timeoutMs: number, signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(new EgressError('aborted'));
  const cancel = clock.schedule(timeoutMs, () => controller.abort(new EgressError('timeout')));
  const { promise: passed, reject } = Promise.withResolvers<never>();
  // The signal alone may be heeded, and then nobody listens here.
  passed.catch(() => {});
  controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  for (const signal of signals) {
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, passed]),
    end() {
      cancel();
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    },
  };
}
