const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 60 * MINUTE_MS;

/** A complete reading is this old at most. */
export const FULL_READING_EVERY_MS = 24 * 60 * MINUTE_MS;

/** Of the upstream's budget of management calls (200 an hour and WABA at the least) looks use 60, and ten at once. */
const CALL_COST_MS = MINUTE_MS;
const BURST_MS = 10 * MINUTE_MS;

/** Looks after which a template that was paused is first asked about: pauses take hours. */
const LOOKS_WHEN_PAUSED = 5;

/** Looks to take as done already when a template gets this status: reviews are mostly decided in minutes, pauses end after hours. */
function looksAtStatus(status: string): number | undefined {
  if (OPEN_STATUSES.includes(status)) return status === 'PAUSED' ? LOOKS_WHEN_PAUSED : 0;
  return undefined;
}

/** The first look at a template that has just got this status; `undefined` when none is needed. */
export function firstLookAt(status: string, nowMs: number): { looks: number; dueAtMs: number } | undefined {
  const looks = looksAtStatus(status);
  return looks === undefined ? undefined : { looks, dueAtMs: nowMs + pauseMs(looks) };
}

/** The statuses the upstream ends by itself. */
export const OPEN_STATUSES: readonly string[] = ['PENDING', 'IN_APPEAL', 'PAUSED'];

/** The pause before the next look after `looks` of them: 30 s, doubled each time, an hour at most. */
export function pauseMs(looks: number): number {
  return Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(looks, 16));
}

/** How the budget stands after `calls` more: `paidUntilMs` is carried on, no look begins before `freeAtMs`. */
export function payCalls(paidUntilMs: number, calls: number, nowMs: number): { paidUntilMs: number; freeAtMs: number } {
  const after = Math.max(paidUntilMs, nowMs) + calls * CALL_COST_MS;
  return { paidUntilMs: after, freeAtMs: Math.max(nowMs, after - BURST_MS) };
}

/** Whether reading every template (`count` of them, 100 a call) takes fewer calls than reading `wanted` ones singly. */
export function isListCheaper(wanted: number, count: number): boolean {
  return wanted > Math.max(1, Math.ceil(count / 100));
}
