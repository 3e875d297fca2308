import type { WabaRef } from '../waba-ref.ts';

/** Something about a WABA's templates that the upstream is to be asked. */
export interface LookRequest extends WabaRef {
  dueAtMs: number;
  /** Looks to take as done already; the fewer, the sooner the next ones. */
  looks: number;
  /** A template to be read whatever its status is here. */
  templateId?: string;
}

const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 60 * MINUTE_MS;

/** A complete reading is this old at most. */
export const FULL_READING_EVERY_MS = 24 * 60 * MINUTE_MS;

/** Of the upstream's budget of management calls (200 an hour and WABA at the least) looks use 60, and ten at once. */
const CALL_COST_MS = MINUTE_MS;
const BURST_MS = 10 * MINUTE_MS;

/** The longest that calls keep the next look waiting; the upstream bears those for some ten thousand templates so often. */
export const FREE_AFTER_MS_MAX = 2 * 60 * MINUTE_MS;
/** No turn is set further ahead, nodes' clocks considered: where one is, the clock that set it was set back since. */
export const NEXT_TURN_MS_MAX = FULL_READING_EVERY_MS + 60 * MINUTE_MS;

/** Looks after which a template that was paused is first asked about: pauses take hours. */
const LOOKS_WHEN_PAUSED = 5;

/** The first looks at templates that have just got these statuses, where any are needed: reviews are mostly decided in minutes. */
export function firstLooks(templates: readonly (WabaRef & { status: string })[], nowMs: number): LookRequest[] {
  const open = templates.filter(({ status }) => OPEN_STATUSES.includes(status));
  return open.map(({ organizationId, wabaId, status }) => {
    const looks = status === 'PAUSED' ? LOOKS_WHEN_PAUSED : 0;
    return { organizationId, wabaId, looks, dueAtMs: nowMs + pauseMs(looks) };
  });
}

/** A reading of one template, due at `dueAtMs`. */
export function lookAt({ organizationId, wabaId, id }: WabaRef & { id: string }, dueAtMs: number): LookRequest {
  return { organizationId, wabaId, looks: 0, dueAtMs, templateId: id };
}

/** The statuses the upstream ends by itself. */
export const OPEN_STATUSES: readonly string[] = ['PENDING', 'IN_APPEAL', 'PAUSED'];

/** The pause before the next look after `looks` of them: 30 s, doubled each time, an hour at most. */
export function pauseMs(looks: number): number {
  return Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(looks, 16));
}

/** How the budget stands after `calls` more: `paidUntilMs` is carried on, no look begins before `freeAtMs`. */
export function payCalls(paidUntilMs: number, calls: number, nowMs: number): { paidUntilMs: number; freeAtMs: number } {
  // No look begins while more than the burst is owed. More was noted by a clock that was set back since.
  const owedUntilMs = Math.min(Math.max(paidUntilMs, nowMs), nowMs + BURST_MS);
  const after = owedUntilMs + calls * CALL_COST_MS;
  return { paidUntilMs: after, freeAtMs: Math.min(Math.max(nowMs, after - BURST_MS), nowMs + FREE_AFTER_MS_MAX) };
}

/** Whether reading every template (`count` of them, 100 a call) takes fewer calls than reading `wanted` ones singly. */
export function isListCheaper(wanted: number, count: number): boolean {
  return wanted > Math.max(1, Math.ceil(count / 100));
}
