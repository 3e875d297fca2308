import { RETRY_AFTER_MS_MAX } from '../../core/time/retry-after.ts';
import type { SendOutcome } from '../../upstream/index.ts';
import { type TrafficClassName, trafficClassNameOf } from '../scheduler/index.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { PaceSignal } from './pace-control.ts';

/** Facts about a message after an attempt. */
export interface AttemptFacts {
  flowId: number;
  /** Earlier attempts that failed temporarily. */
  attempt: number;
  /** 0 ≤ r < 1, spreads retries. */
  random: number;
  /** Age of the previous attempt if its outcome is unknown and the platform cannot report it now. */
  unknownForMs: number | undefined;
}

/** Reaction to an outcome, for the message and its scope. Waits are milliseconds from now. */
export type Reaction =
  | DispatchOutcome
  /** Sends the message again. `counted` attempts are stored; `park` also makes the whole scope wait. */
  | { kind: 'again'; waitMs: number; counted: boolean; refundPair: boolean; park: Park | undefined }
  /** Stops the whole scope until the tenant acts. */
  | { kind: 'stop'; scope: 'credential' | 'number' | 'waba'; code: string; reason: string }
  | { kind: 'hold'; waitMs: number }
  /** Holds the message again for the status of the previous attempt; this attempt never left. */
  | { kind: 'holdOn'; waitMs: number; park: Park };

export interface Park {
  /** `app` is the accounts of one Meta app; `platform` is every number. */
  scope: 'number' | 'pair' | 'waba' | 'app' | 'platform';
  waitMs: number;
  reason: string;
}

/** After this many temporary failures a message fails for good, unless the platform had an outage each time. */
const ATTEMPTS_MAX = 5;
const OUTAGE_WAIT_MS_MAX = 60_000;
/** Hold times of unknown outcomes, while they wait for a status (api-rules#status). */
export const HOLD_TIMES = {
  /** By traffic class; codes expire quickly. */
  msOf: { authentication: 8_000, session: 30_000, utility: 30_000, marketing: 30_000 } satisfies Record<
    TrafficClassName,
    number
  >,
  /** The platform repeats undelivered webhooks after pauses that grow with their age. After a gap, a hold lasts no longer than this. */
  afterGapMsMax: 120_000,
  /** A hold older than this is extended by each further gap only by the gap itself. Without this, repeated gaps keep it open. */
  lengthenedMsMax: 300_000,
  /** Hold of every message of a restored queue (docs/operations.md). A longer hold was written before the clock was set back. */
  restoredMs: 600_000,
} as const;
const THROTTLE_WAIT_MS = { number: 1_000, waba: 60_000, app: 60_000 } as const;
/** Some servers answer every rejection with "retry at once". */
const THROTTLE_WAIT_MS_MIN = 1_000;
const UNREACHABLE_WAIT_MS = 1_000;
/** Each throttle of a pair in a row multiplies its wait by four, at most this many times. */
const PAIR_STRIKES_MAX = 5;
/** Jitter: a wait requested by the platform is extended by up to this share. */
const SPREAD = 0.25;
/** The longest possible waits. A longer stored wait was written before the clock was set back. */
export const WAITS_MAX = {
  /** The platform may request a longer wait. It then refuses the first message after this one, and states its wait again. */
  pairMs: pairWaitMs(PAIR_STRIKES_MAX) * (1 + SPREAD),
  retryMs: RETRY_AFTER_MS_MAX * (1 + SPREAD),
} as const;

function pairWaitMs(strikes: number): number {
  return 1_000 * 4 ** Math.min(strikes, PAIR_STRIKES_MAX);
}

/**
 * Returns the end of a hold after a gap without statuses that has just ended. The attempt was made `ageMs` ago. The gap lasted at least
 * `gapMs` and at most `gapMsMax`.
 * The gap itself does not count. If the hold was young when the gap began, it also gets time for the platform to repeat the webhooks that
 * failed.
 */
export function holdAfterGap(
  { ageMs, holdUntilMs }: { ageMs: number; holdUntilMs: number },
  nowMs: number,
  gapMs: number,
  gapMsMax: number = gapMs,
): number {
  if (ageMs > HOLD_TIMES.lengthenedMsMax + gapMsMax) return holdUntilMs + gapMs;
  const longerMs = Math.max(Math.max(holdUntilMs - nowMs, 0) + gapMsMax, ageMs);
  const untilMs = nowMs + Math.min(longerMs, HOLD_TIMES.afterGapMsMax);
  return Math.max(untilMs, Math.min(holdUntilMs, nowMs + HOLD_TIMES.restoredMs));
}

/** Returns how long an unknown outcome waits for a status, while statuses can arrive. */
function holdMsOf(flowId: number): number {
  return HOLD_TIMES.msOf[trafficClassNameOf(flowId)];
}

/**
 * Returns the reaction to every outcome of an attempt (api-rules#status):
 * - rejections end the message
 * - throttles slow their scope and are not counted
 * - temporary failures are retried with growing waits and counted; during an outage, until the message expires
 * - a message that provably never left goes again. The exception is a previous attempt that may have been sent, while the platform is out
 *   of reach and cannot report it
 * - a message that may have been sent is held
 * `pairStrikes` is the number of throttles of this pair in a row (the platform's 4^X s).
 */
export function reactTo(outcome: SendOutcome, facts: AttemptFacts, pairStrikes: number): Reaction {
  switch (outcome.kind) {
    case 'accepted':
      return { ...outcome, kind: 'sent' };
    case 'rejected': {
      const { code, message, provider } = outcome;
      return { kind: 'failed', errorCode: code, errorMessage: message, provider };
    }
    case 'throttled': {
      const least = outcome.scope === 'pair' ? pairWaitMs(pairStrikes) : THROTTLE_WAIT_MS[outcome.scope];
      const waitMs = Math.max(outcome.retryAfterMs ?? least, THROTTLE_WAIT_MS_MIN) * (1 + facts.random * SPREAD);
      const reason = `upstream ${outcome.code}${outcome.message === null ? '' : `: ${outcome.message}`}`;
      const park = { scope: outcome.scope, waitMs, reason };
      return { kind: 'again', waitMs: 0, counted: false, refundPair: outcome.scope !== 'pair', park };
    }
    case 'blocked':
      return { kind: 'stop', scope: outcome.scope, code: outcome.code, reason: outcome.message };
    case 'unavailable': {
      const isLast = facts.attempt + 1 >= ATTEMPTS_MAX;
      if (isLast && !outcome.isOutage) {
        const errorCode = outcome.code ?? '131000';
        return { kind: 'failed', errorCode, errorMessage: outcome.reason };
      }
      const ownWaitMs = Math.min(1_000 * 3 ** facts.attempt, OUTAGE_WAIT_MS_MAX) * (0.75 + facts.random * 0.5);
      // The platform's wait can only lengthen the wait: with "at once" all attempts would be used up immediately.
      const waitMs = Math.max(ownWaitMs, (outcome.retryAfterMs ?? 0) * (1 + facts.random * SPREAD));
      return { kind: 'again', waitMs, counted: !isLast, refundPair: true, park: undefined };
    }
    case 'unsent': {
      const waitMs = UNREACHABLE_WAIT_MS * (0.5 + facts.random);
      const unreachable: Park = { scope: 'platform', waitMs, reason: `upstream unreachable (${outcome.reason})` };
      if (outcome.reason === 'withheld')
        return { kind: 'again', waitMs: 0, counted: false, refundPair: true, park: undefined };
      if (facts.unknownForMs === undefined)
        return { kind: 'again', waitMs: 0, counted: false, refundPair: true, park: unreachable };
      const forAgeMs = Math.min(facts.unknownForMs, HOLD_TIMES.afterGapMsMax);
      return { kind: 'holdOn', waitMs: Math.max(holdMsOf(facts.flowId), forAgeMs), park: unreachable };
    }
    case 'unknown':
      return { kind: 'hold', waitMs: holdMsOf(facts.flowId) };
  }
}

/** Returns the signal that an outcome gives for the pace of its number; undefined if none. */
export function paceSignalOf(outcome: SendOutcome): PaceSignal | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return 'accepted';
    case 'throttled':
      return outcome.scope === 'number' ? 'throttled' : undefined;
    case 'unavailable':
    case 'unknown':
      return 'trouble';
    case 'rejected':
    case 'blocked':
    case 'unsent':
      return undefined;
  }
}
