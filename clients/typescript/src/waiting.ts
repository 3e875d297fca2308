import { FairwayError } from './errors.ts';

/** Settings of a wait. */
export interface WaitOptions {
  /** Longest wait in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Ends the wait, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The wait ended before the status or the event arrived. */
export class WaitTimeoutError extends FairwayError {
  override name = 'WaitTimeoutError';
}

/** The message failed, so the awaited status cannot come. */
export class MessageFailedError extends FairwayError {
  override name = 'MessageFailedError';
  readonly messageId: string;
  /** Number of the platform, or `EXPIRED`, `CANCELLED`, `UNKNOWN_OUTCOME`. */
  readonly errorCode: string | undefined;
  readonly errorMessage: string | undefined;

  constructor(messageId: string, errorCode: string | undefined, errorMessage: string | undefined) {
    super(`Message ${messageId} failed: ${errorCode ?? 'no code'}: ${errorMessage ?? 'no reason'}`);
    this.messageId = messageId;
    this.errorCode = errorCode;
    this.errorMessage = errorMessage;
  }
}

const TIMEOUT_MS = 60_000;

/** Runs `work` with a signal that aborts after the time limit or with the caller's signal. @throws WaitTimeoutError */
export async function withinTime<T>(
  { timeoutMs = TIMEOUT_MS, signal }: WaitOptions,
  awaited: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    return await work(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (!limit.signal.aborted || signal?.aborted) throw error;
    throw new WaitTimeoutError(`${awaited} did not come within ${timeoutMs} ms.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
