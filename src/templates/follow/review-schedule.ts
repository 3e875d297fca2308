import type { WabaRef } from '../waba-ref.ts';

/** A request for a look at a WABA's templates upstream. */
export interface LookRequest extends WabaRef {
  dueAtMs: number;
  /** Number of looks to count as already done; the fewer, the sooner the next look. */
  looks: number;
  /** A template to read regardless of its status here. */
  templateId?: string;
}

const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 60 * MINUTE_MS;

/** Maximum age of a complete reading. */
export const FULL_READING_EVERY_MS = 24 * 60 * MINUTE_MS;

/** Looks use 60 of the upstream's management calls per hour and WABA (at least 200), and at most ten at once. */
const CALL_COST_MS = MINUTE_MS;
const BURST_MS = 10 * MINUTE_MS;

/**
 * Longest delay of the next look by earlier calls. The upstream's budget allows a reading of about ten thousand templates per such period.
 */
export const FREE_AFTER_MS_MAX = 2 * 60 * MINUTE_MS;
/**
 * No turn is set further ahead, with clock differences between nodes included. A later turn was set by a clock that has been set back
 * since.
 */
export const NEXT_TURN_MS_MAX = FULL_READING_EVERY_MS + 60 * MINUTE_MS;

/** Number of looks counted for a template that was just paused: pauses take hours, so its first look comes late. */
const LOOKS_WHEN_PAUSED = 5;

/** Returns the first looks at templates that just got these statuses, if they need any: most reviews are decided in minutes. */
export function firstLooks(templates: readonly (WabaRef & { status: string })[], nowMs: number): LookRequest[] {
  const open = templates.filter(({ status }) => OPEN_STATUSES.includes(status));
  return open.map(({ organizationId, wabaId, status }) => {
    const looks = status === 'PAUSED' ? LOOKS_WHEN_PAUSED : 0;
    return { organizationId, wabaId, looks, dueAtMs: nowMs + pauseMs(looks) };
  });
}

/** Requests a reading of one template, due at `dueAtMs`. */
export function lookAt({ organizationId, wabaId, id }: WabaRef & { id: string }, dueAtMs: number): LookRequest {
  return { organizationId, wabaId, looks: 0, dueAtMs, templateId: id };
}

/** Statuses that the upstream ends by itself. */
export const OPEN_STATUSES: readonly string[] = ['PENDING', 'IN_APPEAL', 'PAUSED'];

/** Returns the pause before the next look after `looks` looks: 30 s, doubled each time, at most an hour. */
export function pauseMs(looks: number): number {
  return Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(looks, 16));
}

/** Charges `calls` to the budget. `paidUntilMs` is its new state; no look begins before `freeAtMs`. */
export function payCalls(paidUntilMs: number, calls: number, nowMs: number): { paidUntilMs: number; freeAtMs: number } {
  // No look begins while more than the burst is owed. A larger debt was written by a clock that has been set back since.
  const owedUntilMs = Math.min(Math.max(paidUntilMs, nowMs), nowMs + BURST_MS);
  const after = owedUntilMs + calls * CALL_COST_MS;
  return { paidUntilMs: after, freeAtMs: Math.min(Math.max(nowMs, after - BURST_MS), nowMs + FREE_AFTER_MS_MAX) };
}

/** True if reading all `count` templates (100 a call) takes fewer calls than reading `wanted` templates singly. */
export function isListCheaper(wanted: number, count: number): boolean {
  return wanted > Math.max(1, Math.ceil(count / 100));
}
