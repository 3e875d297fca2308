/**
 * One wish to stop can come as several signals: a terminal or supervisor signals the whole process group, and npm passes on to its
 * script what it gets itself.
 */
const SAME_WISH_MS = 1_000;

/** Aborts on the first SIGTERM or SIGINT. Another one more than a second later ends the process at once. */
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
