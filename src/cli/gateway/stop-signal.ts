/**
 * Time in which several signals count as one request to stop: a terminal or supervisor signals the whole process group, and npm passes its
 * own signals on to its script.
 */
const SAME_WISH_MS = 1_000;

/** Aborts on the first SIGTERM or SIGINT. Another signal more than a second later ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = () => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    if (nowMs - firstAtMs > SAME_WISH_MS) process.exit(1);
    controller.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return controller.signal;
}
