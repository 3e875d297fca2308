import { readRetryAfter } from '../../core/time/retry-after.ts';
import type { WebhookOutcome } from '../../egress/index.ts';
import { delayAfter } from './attempt-schedule.ts';

/** What an attempt means for its delivery and its endpoint. */
export type Verdict =
  | { kind: 'delivered' }
  /** It failed: once more after `afterMs`. For `pauseMs` the endpoint wants nothing at all. */
  | { kind: 'retry'; afterMs: number; pauseMs: number }
  /** The endpoint answered that it does not take this delivery: once more after `afterMs`. It is alive, so everything else goes on. */
  | { kind: 'refused'; afterMs: number }
  /** The endpoint answered 410: it wants nothing any more. The delivery waits for it to be enabled again. */
  | { kind: 'gone' }
  /** The last attempt failed, or was refused. */
  | { kind: 'exhausted'; isRefused: boolean }
  /** We broke it off ourselves; nothing can be said of the endpoint. */
  | { kind: 'void' };

/** What is kept of an attempt. `failure` is null when it delivered. */
export interface AttemptRecord {
  atMs: number;
  httpStatus: number | null;
  failure: string | null;
  latencyMs: number;
  /** The first KiB of the answer. */
  answer: string | null;
}

/** Judges the outcome of the `attempt`th attempt (1 is the first). `random` is in [0, 1). */
export function judgeAttempt(outcome: WebhookOutcome, attempt: number, nowMs: number, random: number): Verdict {
  if (outcome.kind === 'failed' && outcome.reason === 'aborted') return { kind: 'void' };
  if (outcome.kind === 'response') {
    const { status } = outcome;
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'gone' };
  }
  const delayMs = delayAfter(attempt, random);
  const refused = isRefusal(outcome);
  if (delayMs === undefined) return { kind: 'exhausted', isRefused: refused };
  if (refused) return { kind: 'refused', afterMs: delayMs };
  const throttled = outcome.kind === 'response' && (outcome.status === 429 || outcome.status === 503);
  const pauseMs = throttled ? (readRetryAfter(outcome.retryAfter, nowMs) ?? 0) : 0;
  return { kind: 'retry', afterMs: Math.max(delayMs, pauseMs), pauseMs };
}

/** Whether the endpoint is alive and does not take this delivery: it answers 3xx or 4xx, but for 408 and 429, which say that it is slow. */
function isRefusal(outcome: WebhookOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.reason === 'redirect';
  const { status } = outcome;
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

/** Whether an attempt shows that the endpoint is alive. */
export function showsLife(verdict: Verdict): boolean {
  return (
    verdict.kind === 'delivered' || verdict.kind === 'refused' || (verdict.kind === 'exhausted' && verdict.isRefused)
  );
}

/** What is recorded of an attempt that ended at `atMs`. The answer is text from outside: control characters do not get in. */
export function recordOf(outcome: WebhookOutcome, atMs: number): AttemptRecord {
  const latencyMs = Math.round(outcome.latencyMs);
  if (outcome.kind === 'failed') {
    return { atMs, httpStatus: outcome.status ?? null, failure: outcome.reason, latencyMs, answer: null };
  }
  const delivered = outcome.status >= 200 && outcome.status < 300;
  return {
    atMs,
    httpStatus: outcome.status,
    failure: delivered ? null : 'http_status',
    latencyMs,
    answer: cleanText(outcome.bodyStart),
  };
}

/** Line breaks and tabs stay; other control characters and those that reorder text become the replacement character. */
function cleanText(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
