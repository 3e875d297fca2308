import type { ProviderError } from '../../core/errors.ts';
import { retryAfterMsOf } from './answer-hints.ts';
import { classifyError } from './error-classes.ts';
import { type Answered, type Exchange, isRefusedStatus, type LostReason, type UnsentReason } from './exchange.ts';
import { errorTextOf, type GraphError, platformErrorOf, providerErrorOf } from './graph-error.ts';
import { type JsonObject, parseJsonObject } from './json-fields.ts';
import { findThrottle, type Throttle, throttleOf } from './throttle.ts';

/** What any call but a send came to. */
export type CallResult<T> = { kind: 'ok'; value: T } | CallFailure;

export type CallFailure =
  /** The platform refuses what was asked for. */
  | (Refusal & { kind: 'rejected' })
  /** The platform refuses the token. */
  | (Refusal & { kind: 'credential' })
  | Throttle
  | Unavailability;

/** A refusal in the platform's own words. `code` is its code in decimal digits, `httpStatus` the one it answered with. */
interface Refusal {
  code: string;
  subcode: number | null;
  message: string;
  provider: ProviderError;
  httpStatus: number;
}

/** No usable answer, for now. */
export interface Unavailability {
  kind: 'unavailable';
  reason: UnavailableReason;
  retryAfterMs: number | null;
  /** Whether the call may have taken effect all the same. */
  mayHaveHappened: boolean;
}

export type UnavailableReason =
  | UnsentReason
  | LostReason
  | 'transient_error'
  | 'server_error'
  | 'unreadable_answer'
  | 'url_refused'
  | 'not_configured';

/** What the decision needs besides the exchange itself. */
export interface CallFacts<T> {
  /** Takes the value from a 2xx answer; null means the answer is not what it should be. */
  read: (answer: JsonObject, body: Buffer) => T | null;
  /** The node addressed. */
  objectId: string;
  /** Struck out of every text the platform sends back. */
  token: string;
  nowMs: number;
}

/** Decides what became of a call, and gives the platform's error where it sent one. */
export function callResultOf<T>(
  exchanged: Exchange,
  facts: CallFacts<T>,
): { result: CallResult<T>; error: GraphError | null } {
  switch (exchanged.kind) {
    case 'unsent':
      return { result: unavailable(exchanged.reason, { mayHaveHappened: false }), error: null };
    case 'lost': {
      const mayHaveHappened = !isRefusedStatus(exchanged.httpStatus);
      return { result: unavailable(exchanged.reason, { mayHaveHappened }), error: null };
    }
    case 'answered': {
      const answer = parseJsonObject(exchanged.body.toString('utf8'));
      if (exchanged.httpStatus < 300) {
        const value = answer === null ? null : facts.read(answer, exchanged.body);
        return { result: value === null ? unavailable('unreadable_answer') : { kind: 'ok', value }, error: null };
      }
      const error = platformErrorOf(answer, facts.token);
      return { result: failureOf(error, exchanged, facts), error };
    }
  }
}

/** What an answer other than 2xx comes to; `error` is the platform's own, null when some box in between answered. */
export function failureOf(
  error: GraphError | null,
  { httpStatus, headers }: Answered,
  { objectId, nowMs }: { objectId: string; nowMs: number },
): CallFailure {
  if (error === null) {
    if (httpStatus === 429) return throttleOf('app', '429', headers, nowMs);
    const mayHaveHappened = !isRefusedStatus(httpStatus);
    return unavailable('server_error', { mayHaveHappened, retryAfterMs: retryAfterMsOf(headers, nowMs) });
  }
  const verdict = classifyError(error, httpStatus, objectId);
  const provider = providerErrorOf(error);
  const code = String(provider.code);
  const message = errorTextOf(error);
  const refusal: Refusal = { code, subcode: error.subcode, message, provider, httpStatus };
  if (verdict.class === 'CREDENTIAL') return { kind: 'credential', ...refusal };
  const throttle = findThrottle(verdict, { code, message }, headers, nowMs);
  if (throttle !== null) return throttle;
  if (verdict.class === 'TRANSIENT') {
    const retryAfterMs = retryAfterMsOf(headers, nowMs) ?? verdict.waitMs;
    return unavailable('transient_error', { retryAfterMs, mayHaveHappened: false });
  }
  return { kind: 'rejected', ...refusal };
}

/**
 * After how many seconds a call that failed for now is worth making again: when the platform says; where it does not, after one, and
 * after a minute where it wants fewer calls about an account or of the app.
 */
export function retryAfterSecondsOf(failure: Throttle | Unavailability): number {
  const isBudget = failure.kind === 'throttled' && (failure.scope === 'waba' || failure.scope === 'app');
  return (failure.retryAfterMs ?? (isBudget ? 60_000 : 1_000)) / 1_000;
}

/** An `unavailable` result; unless told otherwise, of a call that may have taken effect. */
export function unavailable(reason: UnavailableReason, extra: Partial<Unavailability> = {}): Unavailability {
  return { kind: 'unavailable', reason, retryAfterMs: null, mayHaveHappened: true, ...extra };
}

/** What a token comes to that cannot even stand in a header: the same as one the platform has revoked. */
export function malformedTokenFailure(): CallFailure {
  const message = 'The access token is empty or malformed.';
  const provider = { code: 190, error_user_title: 'Invalid access token', error_user_msg: message };
  return { kind: 'credential', code: '190', subcode: null, message, provider, httpStatus: 401 };
}
