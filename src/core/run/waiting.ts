import type { Clock } from '../time/clock.ts';

/** Resolves after `delayMs`. */
export function pause(clock: Pick<Clock, 'schedule'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, resolve);
  });
}

/** Settles as `work` does, or resolves after `patienceMs` if that is earlier. */
export async function waitAtMost(clock: Clock, patienceMs: number, work: Promise<unknown> | undefined): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(patienceMs, resolve);
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
