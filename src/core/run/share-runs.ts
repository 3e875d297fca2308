import { runDetached } from './detached.ts';

/**
 * Wraps `work` so that at most one run is in progress. A call made during a run waits for the next one, because the current run may have
 * started too early to see the caller's change. All calls that wait share that next run.
 */
export function shareRuns<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const run = (): Promise<Result> => {
    if (running === undefined) {
      running = runDetached(work).finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
  return run;
}
