/** Time a person's message keeps the window open, in milliseconds (api-rules#window). */
const WINDOW_MS = 24 * 60 * 60 * 1000;

/** The end of the window, given the newest inbound message's own timestamp (api-rules#window). Both in epoch ms. */
export function windowOpenUntilMs(lastInboundAtMs: number): number {
  return lastInboundAtMs + WINDOW_MS;
}

/** True if the window is open at `nowMs`: strictly before its end. */
export function isWindowOpen(openUntilMs: number | undefined, nowMs: number): boolean {
  return openUntilMs !== undefined && nowMs < openUntilMs;
}
