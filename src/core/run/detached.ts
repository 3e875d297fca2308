import { AsyncLocalStorage } from 'node:async_hooks';

/** Enters the async context in which the process started. */
const enter = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside the async context of the caller. Use it for work that serves several callers: a batch, a loop, a shared look-up.
 * Without this, such work carries the trace context of the caller that happened to start it.
 */
export function runDetached<Result>(work: () => Result): Result {
  return enter(work);
}
