import type { ProviderError } from '../core/errors.ts';
import { retryAfterMsOf } from './graph/answer-hints.ts';
import { classifyError } from './graph/errors/error-classes.ts';
import { errorTextOf, type GraphError, platformErrorOf, providerErrorOf } from './graph/errors/graph-error.ts';
import { type Answered, type Exchange, isRefusedStatus, type LostReason, type UnsentReason } from './graph/exchange.ts';
import { arrayField, asObject, idField, type JsonObject, parseJsonObject, textField } from './graph/json-fields.ts';
import { type ReportedNames, reportedNames } from './graph/reported-names.ts';
import { findThrottle, type Throttle, throttleOf } from './graph/throttle.ts';

/**
 * The outcome of one attempt to send a message. Complete: no other module interprets upstream errors.
 *
 * - `accepted`: the platform accepted it. `upstreamStatus` is the `message_status` of its answer, absent if it gave none; `names` are the
 *   recipient's if the answer has several.
 * - `rejected`: this message will never pass; the upstream's error becomes the message's.
 * - `throttled`: not accepted, and no fault of the message. Slow down `scope` and retry without counting the attempt.
 * - `blocked`: not accepted, and no message of `scope` passes until an operator acts. The message waits and loses no attempt.
 * - `unavailable`: not accepted, for a passing reason. Retry and count the attempt, except in an outage of the platform.
 * - `unsent`: no byte of it left; retry without counting the attempt.
 * - `unknown`: the platform may have accepted it.
 *
 * `code` is the upstream's own, in decimal digits. Waits are in milliseconds, null if the platform gave none.
 */
export type SendOutcome =
  | { kind: 'accepted'; wamid: string; upstreamStatus?: string; names?: ReportedNames }
  | { kind: 'rejected'; code: string; message: string; provider: ProviderError }
  | Throttle
  | { kind: 'blocked'; scope: 'credential' | 'number' | 'waba'; code: string; message: string }
  | { kind: 'unavailable'; reason: string; code: string | null; retryAfterMs: number | null; isOutage: boolean }
  | { kind: 'unsent'; reason: UnsentReason }
  | { kind: 'unknown'; reason: UnknownReason };

type UnknownReason = LostReason | 'server_error' | 'unreadable_answer';

/** Inputs of the decision besides the exchange itself. */
export interface SendFacts {
  phoneNumberId: string;
  /** Removed from every text that the platform sends back. */
  token: string;
  nowMs: number;
}

/** Decides the outcome of a send, and returns the platform's error if it sent one. */
export function sendOutcomeOf(
  exchanged: Exchange,
  facts: SendFacts,
): { outcome: SendOutcome; error: GraphError | null } {
  switch (exchanged.kind) {
    case 'unsent':
      return { outcome: { kind: 'unsent', reason: exchanged.reason }, error: null };
    case 'lost':
      return { outcome: lossOf(exchanged.httpStatus, exchanged.reason), error: null };
    case 'answered': {
      const answer = parseJsonObject(exchanged.body.toString('utf8'));
      if (exchanged.httpStatus < 300) return { outcome: acceptanceOf(answer), error: null };
      const error = platformErrorOf(answer, facts.token);
      return { outcome: error ? refusalOf(error, exchanged, facts) : withoutErrorOf(exchanged, facts), error };
    }
  }
}

/** Length limit of a `message_status`: the longest known word has 27 characters. A longer text is ignored. */
const STATUS_LENGTH_MAX = 64;

/** Decides the outcome of an incomplete answer. Once the status line refuses the message, the lost rest changes nothing. */
function lossOf(httpStatus: number | null, reason: LostReason): SendOutcome {
  return isRefusedStatus(httpStatus) ? strangeRefusal(httpStatus, null) : { kind: 'unknown', reason };
}

function acceptanceOf(answer: JsonObject | null): SendOutcome {
  const message = answer === null ? null : asObject(arrayField(answer, 'messages')[0]);
  const wamid = message === null ? null : idField(message, 'id');
  if (message === null || wamid === null) return { kind: 'unknown', reason: 'unreadable_answer' };
  const upstreamStatus = textField(message, 'message_status');
  const names = reportedNames(answer === null ? null : asObject(arrayField(answer, 'contacts')[0]));
  return {
    kind: 'accepted',
    wamid,
    ...(upstreamStatus === null || upstreamStatus.length > STATUS_LENGTH_MAX ? {} : { upstreamStatus }),
    ...(names === undefined ? {} : { names }),
  };
}

/** Decides the outcome of an error status without a platform error: a proxy in between answered, or the platform crashed. */
function withoutErrorOf({ httpStatus, headers }: Answered, { nowMs }: SendFacts): SendOutcome {
  if (httpStatus === 429) return throttleOf('number', '429', headers, nowMs);
  if (isRefusedStatus(httpStatus)) return strangeRefusal(httpStatus, retryAfterMsOf(headers, nowMs));
  return { kind: 'unknown', reason: 'server_error' };
}

function strangeRefusal(httpStatus: number, retryAfterMs: number | null): SendOutcome {
  const reason = `The platform answered HTTP ${httpStatus} without an error of its own.`;
  return { kind: 'unavailable', reason, code: null, retryAfterMs, isOutage: false };
}

function refusalOf(error: GraphError, { httpStatus, headers }: Answered, facts: SendFacts): SendOutcome {
  const verdict = classifyError(error, httpStatus, facts.phoneNumberId);
  const provider = providerErrorOf(error);
  const code = String(provider.code);
  const message = errorTextOf(error);
  const throttle = findThrottle(verdict, { code, message }, headers, facts.nowMs);
  if (throttle !== null) return throttle;
  if (verdict.class === 'TRANSIENT') {
    const retryAfterMs = retryAfterMsOf(headers, facts.nowMs) ?? verdict.waitMs;
    return { kind: 'unavailable', reason: message, code, retryAfterMs, isOutage: verdict.isOutage };
  }
  if (verdict.parks !== null) return { kind: 'blocked', scope: verdict.parks, code, message };
  return { kind: 'rejected', code, message, provider };
}
