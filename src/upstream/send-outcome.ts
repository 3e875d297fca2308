import type { ProviderError } from '../core/errors.ts';
import { retryAfterMsOf, type UsageHint, usageHintOf } from './answer-hints.ts';
import { classifyError, type ErrorClass } from './error-classes.ts';
import type { Exchange, LostReason, UnsentReason } from './exchange.ts';
import { errorTextOf, type GraphError, platformErrorOf, providerErrorOf } from './graph-error.ts';
import { arrayField, asObject, idField, type JsonObject, parseJsonObject, textField } from './json-fields.ts';

/**
 * What one attempt to send a message came to. Closed: nothing else in the product interprets upstream errors.
 *
 * - `accepted`: the platform took it. `waId` is null for recipients it does not know by phone number.
 * - `rejected`: this message will never pass; the upstream's error becomes the message's.
 * - `throttled`: not taken, and no fault of the message; slow down `scope`, try again, count nothing.
 * - `blocked`: not taken, and nothing of `scope` passes until someone acts; it waits, nothing is burnt.
 * - `unavailable`: not taken, for a passing reason; try again, and count.
 * - `unsent`: no byte of it left; try again as if nothing had happened.
 * - `unknown`: it may have been taken.
 *
 * `code` is the upstream's own, in decimal digits. Waits are milliseconds, null when the platform gave none.
 */
export type SendOutcome =
  | {
      kind: 'accepted';
      wamid: string;
      waId: string | null;
      /** Templates only: `accepted`, `held_for_quality_assessment` or `paused`. */
      messageStatus: string | null;
      usage: UsageHint | null;
    }
  | { kind: 'rejected'; code: string; message: string; provider: ProviderError; class: ErrorClass }
  | {
      kind: 'throttled';
      scope: 'number' | 'pair' | 'waba' | 'app';
      retryAfterMs: number | null;
      code: string;
      usage: UsageHint | null;
    }
  | { kind: 'blocked'; scope: 'credential' | 'number' | 'waba'; code: string; message: string }
  | { kind: 'unavailable'; reason: string; code: string | null; retryAfterMs: number | null }
  | { kind: 'unsent'; reason: UnsentReason }
  | { kind: 'unknown'; reason: UnknownReason };

export type UnknownReason = LostReason | 'server_error' | 'unreadable_answer';

/** What the decision needs besides the exchange itself. */
export interface SendFacts {
  phoneNumberId: string;
  /** Struck out of every text the platform sends back. */
  token: string;
  nowMs: number;
}

/** Decides what became of a send, and gives the platform's error where it sent one. */
export function sendOutcomeOf(
  exchanged: Exchange,
  facts: SendFacts,
): { outcome: SendOutcome; error: GraphError | null } {
  if (exchanged.kind === 'unsent') return { outcome: { kind: 'unsent', reason: exchanged.reason }, error: null };
  const { httpStatus } = exchanged;
  if (exchanged.kind === 'lost') {
    // Once the status line says 3xx or 4xx the message was refused, whatever happened to the rest of the answer.
    const refused = httpStatus !== null && httpStatus >= 300 && httpStatus < 500;
    return { outcome: refused ? refusal(httpStatus) : { kind: 'unknown', reason: exchanged.reason }, error: null };
  }
  const answer = parseJsonObject(exchanged.body.toString('utf8'));
  if (exchanged.httpStatus < 300) return { outcome: acceptanceOf(answer, exchanged), error: null };
  const error = platformErrorOf(answer, facts.token);
  return { outcome: error === null ? withoutErrorOf(exchanged, facts) : refusalOf(error, exchanged, facts), error };
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

function acceptanceOf(answer: JsonObject | null, { headers }: Answered): SendOutcome {
  const message = answer === null ? null : asObject(arrayField(answer, 'messages')[0]);
  const wamid = message === null ? null : idField(message, 'id');
  if (answer === null || message === null || wamid === null) return { kind: 'unknown', reason: 'unreadable_answer' };
  const contact = asObject(arrayField(answer, 'contacts')[0]);
  return {
    kind: 'accepted',
    wamid,
    waId: contact === null ? null : idField(contact, 'wa_id'),
    messageStatus: textField(message, 'message_status'),
    usage: usageHintOf(headers),
  };
}

/** An error status without an error of the platform: some box in between answered, or the platform fell over. */
function withoutErrorOf({ httpStatus, headers }: Answered, { nowMs }: SendFacts): SendOutcome {
  if (httpStatus >= 500) return { kind: 'unknown', reason: 'server_error' };
  const retryAfterMs = retryAfterMsOf(headers, nowMs);
  if (httpStatus !== 429) return { ...refusal(httpStatus), retryAfterMs };
  return { kind: 'throttled', scope: 'number', retryAfterMs, code: '429', usage: usageHintOf(headers) };
}

function refusal(httpStatus: number) {
  const reason = `The platform answered HTTP ${httpStatus} without an error of its own.`;
  return { kind: 'unavailable' as const, reason, code: null, retryAfterMs: null };
}

function refusalOf(error: GraphError, { httpStatus, headers }: Answered, facts: SendFacts): SendOutcome {
  const verdict = classifyError(error, httpStatus, facts.phoneNumberId);
  const provider = providerErrorOf(error);
  const code = String(provider.code);
  const message = errorTextOf(error);
  const retryAfterMs = retryAfterMsOf(headers, facts.nowMs) ?? verdict.waitMs;
  switch (verdict.class) {
    case 'THROTTLE_NUMBER':
      return { kind: 'throttled', scope: 'number', retryAfterMs, code, usage: usageHintOf(headers) };
    case 'THROTTLE_PAIR':
      return { kind: 'throttled', scope: 'pair', retryAfterMs, code, usage: usageHintOf(headers) };
    case 'THROTTLE_WABA':
    case 'THROTTLE_APP': {
      const usage = usageHintOf(headers);
      const regainMs = usage === null || usage.regainMs === 0 ? null : usage.regainMs;
      const scope = verdict.class === 'THROTTLE_WABA' ? 'waba' : 'app';
      return { kind: 'throttled', scope, retryAfterMs: retryAfterMs ?? regainMs, code, usage };
    }
    case 'TRANSIENT':
      if (verdict.parks === 'number') {
        return { kind: 'throttled', scope: 'number', retryAfterMs, code, usage: usageHintOf(headers) };
      }
      return { kind: 'unavailable', reason: message, code, retryAfterMs };
    case 'CREDENTIAL':
    case 'ACCOUNT':
    case 'PERMANENT':
    case 'RECIPIENT':
    case 'TEMPLATE':
    case 'INBOUND':
      if (verdict.parks !== null) return { kind: 'blocked', scope: verdict.parks, code, message };
      return { kind: 'rejected', code, message, provider, class: verdict.class };
  }
}
