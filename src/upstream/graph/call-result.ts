import type { ProviderError } from '../../core/errors.ts';
import { retryAfterMsOf } from './answer-hints.ts';
import { classifyError } from './errors/error-classes.ts';
import { errorTextOf, type GraphError, platformErrorOf, providerErrorOf } from './errors/graph-error.ts';
import { type Answered, type Exchange, isRefusedStatus, type LostReason, type UnsentReason } from './exchange.ts';
import { type JsonObject, parseJsonObject } from './json-fields.ts';
import { findThrottle, type Throttle, throttleOf } from './throttle.ts';

/** The result of any call except a send. */
export type CallResult<T> = { kind: 'ok'; value: T } | CallFailure;

export type CallFailure =
  /** The platform refuses the request. */
  | (Refusal & { kind: 'rejected' })
  /** The platform refuses the token. */
  | (Refusal & { kind: 'credential' })
  | Throttle
  | Unavailability;

/** A refusal with the platform's texts. `code` is the platform's error code in decimal digits, `httpStatus` the status of its answer. */
interface Refusal {
  code: string;
  subcode: number | null;
  message: string;
  provider: ProviderError;
  httpStatus: number;
}

/** No usable answer at the moment. */
export interface Unavailability {
  kind: 'unavailable';
  reason: UnavailableReason;
  retryAfterMs: number | null;
  /** True if the call may have taken effect despite the missing answer. */
  mayHaveHappened: boolean;
  /** The platform's code, if it gave one. */
  code?: string;
}

export type UnavailableReason =
  | UnsentReason
  | LostReason
  | 'transient_error'
  | 'server_error'
  | 'unreadable_answer'
  | 'url_refused'
  | 'not_configured';

/** Inputs of the decision besides the exchange itself. */
export interface CallFacts<T> {
  /** Takes the value from a 2xx answer; null if the answer lacks the expected fields. */
  read: (answer: JsonObject, body: Buffer) => T | null;
  /** The addressed node. */
  objectId: string;
  /** Removed from every text that the platform sends back. */
  token: string;
  nowMs: number;
}

/** Decides the result of a call, and returns the platform's error if it sent one. */
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

/** Returns the failure of an answer other than 2xx. `error` is the platform's own error, null if a proxy in between answered. */
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
    return unavailable('transient_error', { retryAfterMs, mayHaveHappened: false, code });
  }
  return { kind: 'rejected', ...refusal };
}

/**
 * Returns the seconds after which a temporarily failed call is worth a retry. The platform's own wait goes first. The default is one
 * second, and one minute if a call budget of an account or of the app is throttled.
 */
export function retryAfterSecondsOf(failure: Throttle | Unavailability): number {
  const isBudget = failure.kind === 'throttled' && (failure.scope === 'waba' || failure.scope === 'app');
  return (failure.retryAfterMs ?? (isBudget ? 60_000 : 1_000)) / 1_000;
}

/** Returns an `unavailable` result; by default the call may have taken effect. */
export function unavailable(reason: UnavailableReason, extra: Partial<Unavailability> = {}): Unavailability {
  return { kind: 'unavailable', reason, retryAfterMs: null, mayHaveHappened: true, ...extra };
}

/** Returns the failure of a token that no header can carry: the same as of a revoked token. */
export function malformedTokenFailure(): CallFailure {
  const message = 'The access token is empty or malformed.';
  const provider = { code: 190, error_user_title: 'Invalid access token', error_user_msg: message };
  return { kind: 'credential', code: '190', subcode: null, message, provider, httpStatus: 401 };
}
