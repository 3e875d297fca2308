import type { Readable } from 'node:stream';
import type { ProviderError } from '../../core/errors.ts';
import { servedTraceparent, startClientWork } from '../../telemetry/index.ts';
import { type CallUsage, usageOf } from './answer-hints.ts';
import { proveAppSecret } from './app-secret-proof.ts';
import { exchangeInTurn } from './call-graph.ts';
import { failureOf, malformedTokenFailure, type Unavailability, unavailable } from './call-result.ts';
import { platformErrorOf } from './errors/graph-error.ts';
import { type Answered, isRefusedStatus } from './exchange.ts';
import { baseHeaders, type GraphClient, isSendableToken, nodePath, requestTarget } from './graph-client.ts';
import { parseJsonObject } from './json-fields.ts';
import type { Throttle } from './throttle.ts';

/** A client's call that is passed on. All parts of the path are the gateway's own. */
export interface PassedCall {
  method: 'GET' | 'POST' | 'DELETE';
  objectId: string;
  /** The path behind the id; empty for the object itself. */
  edge: string;
  query: Readonly<Record<string, string>>;
  body: { bytes: Buffer; contentType: string } | null;
  /** An upload in place of the id, the path and the body. */
  upload?: PassedUpload | undefined;
  token: string;
  timeoutMs: number;
  answerBytesMax: number;
}

/** Bytes that wait on disk. */
export interface PassedFile {
  readonly bytes: number;
  stream(): Readable;
}

/** An open upload. Its id is the platform's own text, a path with a query, and signed: never log it. */
export interface PassedUpload {
  id: string;
  /** The next bytes of the file; absent to read the progress. */
  part?: { file: PassedFile; offset: string | undefined; contentType: string };
}

/** The platform's answer, without the token. */
export interface PassedAnswer {
  kind: 'answered';
  httpStatus: number;
  body: Buffer;
  /** Headers for the client. */
  headers: Readonly<Record<string, string>>;
  throttle: Throttle | null;
  usage: CallUsage | null;
}

/** The platform refuses the gateway's token. */
export interface TokenRefusal {
  kind: 'credential';
  provider: ProviderError;
}

/** Headers of the platform that a client gets. Those about usage speak of the app, which several organizations share. */
const PASSED_HEADERS = ['content-type', 'facebook-api-version', 'retry-after', 'x-fb-request-id', 'x-fb-trace-id'];

/** Passes a client's call on, at most once, and returns the platform's answer as it is. Never rejects. */
export async function passThrough(
  client: GraphClient,
  call: PassedCall,
): Promise<PassedAnswer | TokenRefusal | Unavailability> {
  const { method, objectId, edge, token, body, upload, timeoutMs, answerBytesMax } = call;
  if (!isSendableToken(client, token)) return tokenRefused(malformedTokenFailure());
  const query = Object.keys(call.query).length === 0 ? undefined : { ...call.query };
  // The id of an upload is not encoded, because it has a query of its own.
  const path = upload === undefined ? nodePath(objectId, edge === '' ? undefined : edge) : `/${upload.id}`;
  const work = startClientWork('passThrough', servedTraceparent());
  const exchanged = await exchangeInTurn(client, token, {
    method,
    path: requestTarget(client, { path, query, token }),
    headers: [
      ...baseHeaders(token, upload === undefined ? 'Bearer' : 'OAuth'),
      ...(body === null ? [] : ['content-type', body.contentType]),
      ...partHeaders(upload),
      ...(work.traceparent === undefined ? [] : ['traceparent', work.traceparent]),
    ],
    body: upload?.part?.file.stream() ?? body?.bytes ?? null,
    timeoutMs,
    ...(upload?.part !== undefined && { silenceMs: client.silenceTimeoutMs }),
    answerBytesMax,
  });
  if (exchanged.kind !== 'answered') {
    work.end('unavailable');
    const mayHaveHappened = exchanged.kind === 'lost' && !isRefusedStatus(exchanged.httpStatus);
    client.log.info({ call: 'passThrough', objectId, edge, cause: exchanged.cause }, 'upstream call failed');
    return unavailable(exchanged.reason, { mayHaveHappened });
  }
  const result = answerOf(client, call, exchanged);
  work.end(result.kind === 'answered' && exchanged.httpStatus < 300 ? undefined : String(exchanged.httpStatus));
  return result;
}

function partHeaders(upload: PassedUpload | undefined): string[] {
  if (upload?.part === undefined) return [];
  const { file, offset, contentType } = upload.part;
  const headers = ['content-type', contentType, 'content-length', String(file.bytes)];
  return offset === undefined ? headers : [...headers, 'file_offset', offset];
}

function answerOf(
  client: GraphClient,
  { token, objectId }: PassedCall,
  answered: Answered,
): PassedAnswer | TokenRefusal | Unavailability {
  const { httpStatus, headers } = answered;
  // A redirect would lead the client, or the gateway, elsewhere.
  if (httpStatus >= 300 && httpStatus < 400) return unavailable('unreadable_answer', { mayHaveHappened: false });
  const nowMs = client.clock.now();
  let throttle: Throttle | null = null;
  if (httpStatus >= 300) {
    const error = platformErrorOf(parseJsonObject(answered.body.toString('utf8')), token);
    const failure = failureOf(error, answered, { objectId, nowMs });
    if (failure.kind === 'credential') return tokenRefused(failure);
    if (failure.kind === 'throttled') throttle = failure;
  }
  const secret = client.appOf(token).provenSecret;
  const secrets = [token, ...(secret === null ? [] : [proveAppSecret(secret, token)])];
  return {
    kind: 'answered',
    httpStatus,
    body: withoutSecrets(answered.body, secrets),
    headers: Object.fromEntries(
      PASSED_HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
    ),
    throttle,
    usage: usageOf(headers),
  };
}

function tokenRefused(failure: { provider: ProviderError } | object): TokenRefusal {
  const fallback = {
    code: 190,
    error_user_title: 'Invalid access token',
    error_user_msg: 'The access token is invalid.',
  };
  return { kind: 'credential', provider: 'provider' in failure ? failure.provider : fallback };
}

/** Replaces every spelling of the secrets: the platform puts the token into links and quotes it in errors. */
function withoutSecrets(body: Buffer, secrets: readonly string[]): Buffer {
  const spellings = secrets.flatMap((secret) => {
    const inJson = JSON.stringify(secret).slice(1, -1);
    return [secret, encodeURIComponent(secret), inJson, inJson.replaceAll('/', '\\/')];
  });
  if (!spellings.some((spelling) => body.includes(spelling))) return body;
  const text = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '[token]'), body.toString('latin1'));
  return Buffer.from(text, 'latin1');
}
