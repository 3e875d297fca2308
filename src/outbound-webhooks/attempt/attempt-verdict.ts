import { readRetryAfter } from '../../core/time/retry-after.ts';
import type { WebhookOutcome } from '../../egress/index.ts';
import { delayAfter } from './attempt-schedule.ts';

/** Meaning of an attempt for its delivery and its endpoint. */
export type Verdict =
  | { kind: 'delivered' }
  /** Failure: the delivery is retried after `afterMs`, and the endpoint gets no attempt at all for `pauseMs`. */
  | { kind: 'retry'; afterMs: number; pauseMs: number }
  /** Refusal of this delivery: it is retried after `afterMs`. The endpoint is alive, so its other deliveries continue. */
  | { kind: 'refused'; afterMs: number }
  /** Answer 410: the endpoint wants no more deliveries. This delivery waits until the endpoint is enabled again. */
  | { kind: 'gone' }
  /** Failure or refusal of the last attempt. */
  | { kind: 'exhausted'; isRefused: boolean }
  /** Attempt that says nothing about the endpoint, for example because the gateway aborted it. */
  | { kind: 'void' };

/** Stored result of an attempt. `failure` is null if the delivery succeeded. */
export interface AttemptRecord {
  atMs: number;
  httpStatus: number | null;
  failure: string | null;
  latencyMs: number;
  /** First KiB of the answer. */
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

/**
 * Returns true if the endpoint is alive but refuses this delivery: 3xx or 4xx. 408 and 429 are excluded, because they mean that it is
 * slow.
 */
function isRefusal(outcome: WebhookOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.reason === 'redirect';
  const { status } = outcome;
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

/** Returns true if an attempt shows that the endpoint is alive. */
export function showsLife(verdict: Verdict): boolean {
  return (
    verdict.kind === 'delivered' || verdict.kind === 'refused' || (verdict.kind === 'exhausted' && verdict.isRefused)
  );
}

/** Returns the record of an attempt that ended at `atMs`. The answer comes from outside, so control characters are replaced. */
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

/** Replaces control characters and characters that reorder text; keeps line breaks and tabs. */
function cleanText(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
