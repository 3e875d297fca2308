import { RETRY_AFTER_MS_MAX } from '../../core/time/retry-after.ts';
import type { SendOutcome } from '../../upstream/index.ts';
import { trafficClasses, trafficClassOf } from '../scheduler/index.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { PaceSignal } from './pace-control.ts';

/** What is known of a message when an attempt at it has ended. */
export interface AttemptFacts {
  flowId: number;
  /** Attempts that failed for passing reasons before this one. */
  attempt: number;
  /** 0 ≤ r < 1, spreads retries. */
  random: number;
  /** How long ago the attempt before began, where its outcome stayed unknown and the platform cannot tell of it now. */
  unknownForMs: number | undefined;
}

/** What happens to the message and its surroundings. Waits are milliseconds from now. */
export type Reaction =
  | DispatchOutcome
  /** Goes again. `counted` attempts are remembered; `park` makes everything of the scope wait as well. */
  | { kind: 'again'; waitMs: number; counted: boolean; refundPair: boolean; park: Park | undefined }
  /** Nothing of the scope passes until someone acts. */
  | { kind: 'stop'; scope: 'credential' | 'number' | 'waba'; code: string; reason: string }
  | { kind: 'hold'; waitMs: number }
  /** Waits once more for word of the attempt before; this one was none. */
  | { kind: 'holdOn'; waitMs: number; park: Park };

export interface Park {
  scope: 'number' | 'pair' | 'waba' | 'app';
  waitMs: number;
  reason: string;
}

/** After so many failures for passing reasons a message fails for good, unless the platform was out of order each time. */
const ATTEMPTS_MAX = 5;
const OUTAGE_WAIT_MS_MAX = 60_000;
/** How long unknown outcomes wait for a status (api-rules#status); codes go stale quickly. */
export const HOLD_TIMES = {
  ordinaryMs: 30_000,
  authenticationMs: 8_000,
  /** What was told in vain is told again after pauses that grow with its age; after a gap it is waited for no longer than this. */
  afterGapMsMax: 120_000,
  /** A hold older than this goes on after a gap as if there had been none: trouble that comes again and again must not keep it open. */
  lengthenedMsMax: 300_000,
  /** What a restored queue is given (docs/operations.md); a hold that lasts longer was noted by a clock that was set back since. */
  restoredMs: 600_000,
} as const;
const THROTTLE_WAIT_MS = { number: 1_000, waba: 60_000, app: 60_000 } as const;
/** Some boxes say "at once" with every refusal. */
const THROTTLE_WAIT_MS_MIN = 1_000;
const UNREACHABLE_WAIT_MS = 1_000;
/** The wait of a pair is four times as long each time it is throttled, so many times. */
const PAIR_STRIKES_MAX = 5;
/** A wait that the platform asked for is made longer by up to this share of it. */
const SPREAD = 0.25;
/** The longest waits there are; what was noted to last longer was noted by a clock that was set back since. */
export const WAITS_MAX = {
  /** Unless the platform names a longer one: then it refuses the first message after this, and names it again. */
  pairMs: pairWaitMs(PAIR_STRIKES_MAX) * (1 + SPREAD),
  retryMs: RETRY_AFTER_MS_MAX * (1 + SPREAD),
} as const;

function pairWaitMs(strikes: number): number {
  return 1_000 * 4 ** Math.min(strikes, PAIR_STRIKES_MAX);
}

/**
 * Until when a hold on an attempt made `ageMs` ago lasts after a gap, just over, in which no status could come in; it took `gapMs`
 * surely and `gapMsMax` at most. The gap does not count; and what was told in vain gets the time to be told again, if the hold was young when the gap began.
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

/** How long an unknown outcome waits for a status to settle it, while statuses come in. */
function holdMsOf(flowId: number): number {
  return trafficClassOf(flowId) === trafficClasses.authentication ? HOLD_TIMES.authenticationMs : HOLD_TIMES.ordinaryMs;
}

/**
 * The dispatcher's reaction to every outcome of an attempt (api-rules#status): rejections end the message; throttles slow
 * their scope and count nothing; passing trouble is retried with growing waits and counted, an outage until the message's
 * time is over; what provably never left goes again, unless an attempt before may have been sent of which the platform, out of reach, cannot
 * tell; what may have been sent is held. `pairStrikes` is how often this pair was
 * throttled in a row (the platform's 4^X s).
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
      // The platform's word makes it wait longer, never less: "at once" would use up all attempts at once.
      const waitMs = Math.max(ownWaitMs, (outcome.retryAfterMs ?? 0) * (1 + facts.random * SPREAD));
      return { kind: 'again', waitMs, counted: !isLast, refundPair: true, park: undefined };
    }
    case 'unsent': {
      const waitMs = UNREACHABLE_WAIT_MS * (0.5 + facts.random);
      const unreachable: Park = { scope: 'app', waitMs, reason: `upstream unreachable (${outcome.reason})` };
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

/** What an outcome says about the pace of its number; undefined when it says nothing. */
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
