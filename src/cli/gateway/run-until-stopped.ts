import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Time limit of a stop. Unfinished work is then cut off as in a crash, and recovers in the same way. */
const STOP_MS_MAX = 14_000;
/** Time for an aborted start to end by itself; after that, the server it waits for is not answering. */
const START_ENDS_MS_MAX = 2_000;

/** Passed to the start of a process. */
export interface StartContext {
  stop: AbortSignal;
  /** Ends the process with this reason. */
  onUnfit: (reason: Error) => void;
  /** Ends of what has been started, called in reverse order. */
  closers: (() => Promise<void>)[];
}

/**
 * Runs `start`, prints the text that it returns, and waits for `stop`. Closes in every case what the start has opened. Throws the error of a
 * failed start, or the reason for which the process must not go on.
 */
export async function runUntilStopped(
  { stop, log }: { stop: AbortSignal; log: Logger },
  start: (context: StartContext) => Promise<string>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  const unfit = Promise.withResolvers<never>();
  // It may be rejected during the start, when no handler is attached yet.
  unfit.promise.catch(() => {});
  const close = async () => {
    for (let end = closers.pop(); end !== undefined; end = closers.pop())
      await end().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
  };
  let cutOff: NodeJS.Timeout | undefined;
  const limitStop = () => {
    cutOff ??= setTimeout(() => {
      log.error('stopping took too long; the process ends now');
      process.exit(1);
    }, STOP_MS_MAX);
  };
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  void stopped.then(limitStop);
  const starting = start({ stop, onUnfit: unfit.reject, closers });
  try {
    const banner = await Promise.race([
      starting,
      stopped.then(() => delay(START_ENDS_MS_MAX, undefined, { ref: false })),
    ]);
    if (banner === undefined) throw stop.reason;
    process.stdout.write(banner);
    await Promise.race([stopped, unfit.promise]);
    log.info('stopping');
  } catch (error) {
    // A stop signal may also end child processes the start waits for: a terminal signals the whole group, initdb included.
    if (!stop.aborted) throw error;
    log.info({ reason: error instanceof Error ? error.message : String(error) }, 'stopped while starting');
  } finally {
    limitStop();
    await close();
    // Closing ends the resources of a start that still waits, and so the start. Resources it opens meanwhile are closed next.
    await starting.catch(() => {});
    await close();
    clearTimeout(cutOff);
  }
}
