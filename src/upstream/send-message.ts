import type { GraphError } from './graph/errors/graph-error.ts';
import { type Exchange, exchange, type UnsentReason } from './graph/exchange.ts';
import {
  baseHeaders,
  callTimeoutMs,
  type GraphClient,
  isSendableToken,
  nodePath,
  requestTarget,
} from './graph/graph-client.ts';
import { type SendOutcome, sendOutcomeOf } from './send-outcome.ts';

/** The edge of a number that a message is posted to. `marketing_messages` takes templates of the category MARKETING only. */
export type SendRoad = 'messages' | 'marketing_messages';

export interface SendRequest {
  phoneNumberId: string;
  road: SendRoad;
  token: string;
  /** The JSON to send, byte for byte. */
  body: string;
  /** W3C trace context to pass on; left out if malformed. */
  traceparent?: string;
  /** Milliseconds from this call to the last byte of the answer; default 30 s. */
  timeoutMs?: number;
  /**
   * Called once, right before the first byte is written; `false` withholds the message (`unsent`, `withheld`). Check a lease or the age of
   * a journal row here, because the request may have waited for a connection.
   */
  mayWrite?: () => boolean;
  /** Called once the whole request has been handed to a connection; never if the write fails. */
  wrote?: () => void;
}

const answerBytesMax = 1024 * 1024;
/** Failures that concern neither one message nor its number. */
const UNREACHABLE: ReadonlySet<UnsentReason> = new Set(['dns', 'connect', 'tls', 'timeout']);

/** Sends one message, at most once, and returns the outcome (api-rules#sending). Never rejects. */
export async function sendMessage(client: GraphClient, request: SendRequest): Promise<SendOutcome> {
  const { clock, platformClock, messages } = client;
  const { phoneNumberId, road, token, traceparent, mayWrite, wrote } = request;
  if (!isSendableToken(client, token)) {
    return { kind: 'blocked', scope: 'credential', code: '190', message: 'The access token is empty or malformed.' };
  }
  const headers = baseHeaders(token);
  headers.push('content-type', 'application/json');
  if (traceparent !== undefined && traceparentShape.test(traceparent)) headers.push('traceparent', traceparent);
  let writtenMs = clock.monotonicMs();
  const exchanged = await exchange(
    { dispatcher: messages, clock },
    {
      method: 'POST',
      path: requestTarget(client, { path: nodePath(phoneNumberId, road), token }),
      headers,
      body: request.body,
      timeoutMs: request.timeoutMs ?? callTimeoutMs,
      answerBytesMax,
      mayWrite() {
        writtenMs = clock.monotonicMs();
        return mayWrite?.() ?? true;
      },
      wrote,
    },
  );
  const { outcome, error } = sendOutcomeOf(exchanged, { phoneNumberId, token, nowMs: clock.now() });
  if (outcome.kind === 'accepted' && exchanged.kind === 'answered') {
    platformClock.learn(exchanged.headers.date, writtenMs, clock.monotonicMs());
  }
  if (outcome.kind !== 'accepted') logRefusal(client, request, outcome, error, exchanged);
  return outcome;
}

const traceparentShape = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

function logRefusal(
  { log }: GraphClient,
  { phoneNumberId, road }: SendRequest,
  outcome: SendOutcome,
  error: GraphError | null,
  exchanged: Exchange,
): void {
  const { kind } = outcome;
  const httpStatus = 'httpStatus' in exchanged ? exchanged.httpStatus : undefined;
  const cause = 'cause' in exchanged ? exchanged.cause : undefined;
  if (kind === 'unsent' && UNREACHABLE.has(outcome.reason)) {
    log.warn({ reason: outcome.reason, cause }, 'upstream unreachable; messages wait');
    return;
  }
  const level = kind === 'throttled' || kind === 'unsent' ? 'debug' : 'info';
  const { code, subcode, traceId } = error ?? {};
  log[level](
    { call: 'sendMessage', phoneNumberId, road, kind, httpStatus, code, subcode, traceId, cause },
    'upstream send not accepted',
  );
}
