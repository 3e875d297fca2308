import type { Clock } from '../time/clock.ts';

/** Resolves when `delayMs` have passed. */
export function pause(clock: Pick<Clock, 'schedule'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, resolve);
  });
}

/** Settles as `work` does, or resolves when `patienceMs` have passed before that. */
export async function waitAtMost(clock: Clock, patienceMs: number, work: Promise<unknown> | undefined): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(patienceMs, resolve);
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
