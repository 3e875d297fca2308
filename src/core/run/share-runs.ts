import { runDetached } from './detached.ts';

/**
 * `work` such that calls share its runs, of which one is under way at a time. Each call gets what a run that began after it comes to:
 * those that come during one share the next, for the run under way may have begun too early for them.
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
