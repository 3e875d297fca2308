/** Time as an argument. Code that reads or waits for time takes a Clock, so tests and simulations can control it. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never going back. For durations and pacing. */
  monotonicMs(): number;
  /** Calls `fire` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  schedule(delayMs: number, fire: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, fire) {
    const timer = setTimeout(fire, Math.max(0, delayMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
