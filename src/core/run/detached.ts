import { AsyncLocalStorage } from 'node:async_hooks';

/** Enters the async context in which the process started. */
const enter = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside the async context of the caller. Work that serves several callers starts so: a batch, a loop, a look shared by many.
 * Without this it would carry the trace context of the caller that happened to begin it.
 */
export function runDetached<Result>(work: () => Result): Result {
  return enter(work);
}
