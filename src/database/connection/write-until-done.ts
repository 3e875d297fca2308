import type { Logger } from 'pino';
import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import { sqlStateOf } from '../failures.ts';

const RETRY_MS = 250;

/**
 * Repeats a write until it succeeds, for as long as the process lives, because the data exists nowhere else. Resolves with the result
 * of the successful write; never rejects. The write must be repeatable: a failed one may have taken effect. `what` names it in the log.
 */
export async function writeUntilDone<T>(
  { clock, log }: { clock: Clock; log: Pick<Logger, 'error'> },
  what: string,
  write: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      log.error({ err: error, sqlState: sqlStateOf(error) }, `${what} not recorded yet; trying again`);
      await pause(clock, RETRY_MS);
    }
  }
}
