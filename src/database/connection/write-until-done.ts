import type { Logger } from 'pino';
import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import { sqlStateOf } from '../database.ts';

const RETRY_MS = 250;

/**
 * Tries a write again until it is done, for as long as the process lives: for what nothing else knows. Resolves with what the write
 * that succeeded did; never rejects. A write must bear repetition, for a failed one may have taken effect. `what` names it in the log.
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
