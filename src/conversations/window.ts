/** Time for which an opening keeps the window open, in milliseconds (api-rules#window). */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/** The act of a person that opened a window. */
export type WindowOpener = 'message' | 'call';

/** The end of the window, given the time of the newest opening (api-rules#window). Both in epoch ms. */
export function windowOpenUntilMs(openedAtMs: number): number {
  return openedAtMs + WINDOW_MS;
}

/** True if the window is open at `nowMs`: strictly before its end. */
export function isWindowOpen(openUntilMs: number | undefined, nowMs: number): boolean {
  return openUntilMs !== undefined && nowMs < openUntilMs;
}

/** True if a person's message of this type opens the window: all but the platform's notes about the person (api-rules#window). */
export function opensWindow(messageType: string): boolean {
  return messageType !== 'system';
}
