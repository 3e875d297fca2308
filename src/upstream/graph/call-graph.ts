import { Readable } from 'node:stream';
import { parsedBytesOf } from '../../core/limits/parsed-bytes.ts';
import { servedTraceparent, startClientWork } from '../../telemetry/index.ts';
import type { GraphApp } from '../routing/token-apps.ts';
import { type CallResult, callResultOf, malformedTokenFailure } from './call-result.ts';
import { type Exchange, exchange, type HttpRequest } from './exchange.ts';
import { baseHeaders, callTimeoutMs, type GraphClient, isSendableToken, requestTarget } from './graph-client.ts';
import { type JsonObject, ownField } from './json-fields.ts';

/** One call to the platform other than a send. */
export interface GraphCall<T> {
  /** The call's name in the log. */
  name: string;
  method: HttpRequest['method'];
  /** The addressed node; `path` leads to it or to one of its edges. */
  objectId: string;
  path: string;
  query?: Record<string, string>;
  token: string;
  /** The app of the token; absent for the token of a business account, whose app is known. */
  app?: GraphApp;
  scheme?: 'Bearer' | 'OAuth';
  /** Name, value, name, value, …: added to the headers that every call has. */
  headers?: string[];
  body?: string | Readable;
  timeoutMs?: number;
  /** For a body stream; see HttpRequest. */
  silenceMs?: number;
  /** Longest answer that is read, in bytes; default 1 MiB. */
  answerBytesMax?: number;
  /** Takes the value from a 2xx answer; null if the answer lacks the expected fields. */
  read: (answer: JsonObject, body: Buffer) => T | null;
}

const answerBytesDefault = 1024 * 1024;
/** Memory bound of an answer parsed as JSON. Small values need many times the bytes of their text. */
const parsedBytesMax = 32 * 1024 * 1024;

/** Makes one call, at most once, and returns its result. Never rejects. */
export async function callGraph<T>(client: GraphClient, call: GraphCall<T>): Promise<CallResult<T>> {
  const { name, method, objectId, token, body = null } = call;
  if (!isSendableToken(client, token)) {
    destroyStream(body);
    return malformedTokenFailure();
  }
  const work = startClientWork(name, servedTraceparent());
  const answered = await exchangeInTurn(client, token, {
    method,
    path: requestTarget(client, call),
    headers: [
      ...baseHeaders(token, call.scheme),
      ...(call.headers ?? []),
      ...(work.traceparent === undefined ? [] : ['traceparent', work.traceparent]),
    ],
    body,
    timeoutMs: call.timeoutMs ?? callTimeoutMs,
    silenceMs: call.silenceMs,
    answerBytesMax: call.answerBytesMax ?? answerBytesDefault,
  });
  const exchanged = withinMemory(answered);
  const { result, error } = callResultOf(exchanged, { read: call.read, objectId, token, nowMs: client.clock.now() });
  work.end(result.kind === 'ok' ? undefined : result.kind);
  if (result.kind !== 'ok') {
    const { code, subcode, traceId } = error ?? {};
    const cause = exchanged.kind === 'answered' ? undefined : exchanged.cause;
    client.log.info({ call: name, objectId, kind: result.kind, code, subcode, traceId, cause }, 'upstream call failed');
  }
  return result;
}

/** Makes one exchange within the token's limit of simultaneous calls. The wait for a slot counts towards the call's timeout. */
export async function exchangeInTurn(
  { calls, clock, slots }: GraphClient,
  token: string,
  request: HttpRequest,
): Promise<Exchange> {
  const { body, timeoutMs } = request;
  const startedMs = clock.monotonicMs();
  using slot = await slots.acquire(token, { clock, timeoutMs });
  if (slot === undefined) {
    destroyStream(body);
    return { kind: 'unsent', reason: 'timeout', cause: 'timeout' };
  }
  const waitedMs = clock.monotonicMs() - startedMs;
  return await exchange({ dispatcher: calls, clock }, { ...request, timeoutMs: timeoutMs - waitedMs });
}

function destroyStream(body: HttpRequest['body']): void {
  if (body instanceof Readable) body.destroy();
}

/** Treats an answer too large to parse like an answer too large to read. */
function withinMemory(exchanged: Exchange): Exchange {
  if (exchanged.kind !== 'answered' || parsedBytesOf(exchanged.body) <= parsedBytesMax) return exchanged;
  const { httpStatus } = exchanged;
  return { kind: 'lost', reason: 'oversize_answer', httpStatus, cause: 'oversize_answer' };
}

/** Reads `{"success": true}`. */
export function readSuccess(answer: JsonObject): true | null {
  return ownField(answer, 'success') === true ? true : null;
}
