import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../core/time/clock.ts';
import { sendUninstrumented } from '../../telemetry/index.ts';
import { decodeAnswer, withoutByteOrderMark } from './decode-answer.ts';

/** One HTTP request to the platform. `path` starts with `/`; `headers` are name, value, name, value, … */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers: string[];
  body: string | Buffer | Readable | null;
  /** Milliseconds from the call to the last byte of the answer, including the wait for a connection. */
  timeoutMs: number;
  /** Milliseconds of no progress in a body stream, and then until its answer, before the request is abandoned; no bound if absent. */
  silenceMs?: number | undefined;
  answerBytesMax: number;
  /** Called once, right before the first byte would be written; `false` withholds the request. */
  mayWrite?: (() => boolean) | undefined;
  /** Called once the whole request has been handed to a connection; never if the write fails. */
  wrote?: (() => void) | undefined;
}

/** Reasons for which a request provably never left: no byte of it reached a connection. */
export type UnsentReason = 'dns' | 'connect' | 'tls' | 'timeout' | 'withheld' | 'closed' | 'invalid' | 'body_failed';

/** Reasons for which a request that was (perhaps partly) written has no complete answer. */
export type LostReason = 'timeout' | 'connection_lost' | 'closed' | 'oversize_answer' | 'body_failed';

/** The result of one request. `cause` is an error code for the log, never a message. */
export type Exchange =
  | Answered
  | { kind: 'unsent'; reason: UnsentReason; cause: string }
  | { kind: 'lost'; reason: LostReason; httpStatus: number | null; cause: string };

export interface Answered {
  kind: 'answered';
  httpStatus: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** True if a status line refuses the request (3xx, 4xx). A 5xx does not show if the request took effect. */
export function isRefusedStatus(httpStatus: number | null): httpStatus is number {
  return httpStatus !== null && httpStatus >= 300 && httpStatus < 500;
}

/**
 * Sends `request` at most once and resolves with the result; never rejects. Nothing is retried and no redirect is followed. A body stream
 * is always consumed or destroyed.
 */
export function exchange(deps: { dispatcher: Dispatcher; clock: Clock }, request: HttpRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(deps.clock, request, resolve);
    const { method, path, headers, body } = request;
    sendUninstrumented(() => deps.dispatcher.dispatch({ method, path, headers, body }, handler));
  });
}

/**
 * Turns undici's callbacks into one result. undici calls `onRequestStart` only when it is about to write to a connected socket. A request
 * that fails before that was never sent; one that fails later may have been received.
 * A second start would replay a request whose socket died, so it is refused. Throwing keeps the new socket; aborting would destroy it.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #request: HttpRequest;
  readonly #resolve: (exchange: Exchange) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #httpStatus: number | null = null;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #cancelTimeout: () => void;
  #cancelSilence: () => void = () => {};

  constructor(clock: Clock, request: HttpRequest, resolve: (exchange: Exchange) => void) {
    this.#clock = clock;
    this.#request = request;
    this.#resolve = resolve;
    this.#cancelTimeout = clock.schedule(request.timeoutMs, () => this.#expire());
    // A source may fail after undici has stopped listening. Without this, that error would be uncaught; the outcome is already decided.
    if (request.body instanceof Readable) request.body.on('error', () => {});
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled || this.#controller !== null) throw new RefusedStart();
    if (this.#request.mayWrite?.() === false) {
      this.#settle({ kind: 'unsent', reason: 'withheld', cause: 'mayWrite' });
      throw new RefusedStart();
    }
    this.#controller = controller;
    const { body, silenceMs } = this.#request;
    if (silenceMs === undefined || !(body instanceof Readable)) return;
    this.#listen(silenceMs);
    body.on('data', () => this.#listen(silenceMs));
  }

  onRequestSent(): void {
    this.#request.wrote?.();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, httpStatus: number, headers: IncomingHttpHeaders): void {
    if (httpStatus < 200) return;
    this.#httpStatus = httpStatus;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#request.answerBytesMax) this.#abandon('oversize_answer');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const encoding = this.#headers['content-encoding'];
    if (encoding === undefined) this.#answer(body);
    else void decodeAnswer(body, encoding, this.#request.answerBytesMax).then((decoded) => this.#answer(decoded));
  }

  #answer(body: Buffer | undefined): void {
    const httpStatus = this.#httpStatus ?? 0;
    if (body === undefined) {
      const reason = 'oversize_answer';
      this.#settle({ kind: 'lost', reason, httpStatus, cause: reason });
    } else {
      const headers = this.#headers;
      this.#settle({ kind: 'answered', httpStatus, headers, body: withoutByteOrderMark(body) });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const cause = causeOf(error);
    const failedBody = this.#bodyFailed(cause) ? 'body_failed' : null;
    if (this.#controller === null) {
      this.#settle({ kind: 'unsent', reason: failedBody ?? unsentReasonOf(cause), cause });
    } else {
      const reason = failedBody ?? (cause === 'UND_ERR_DESTROYED' ? 'closed' : 'connection_lost');
      this.#settle({ kind: 'lost', reason, httpStatus: this.#httpStatus, cause });
    }
  }

  #expire(): void {
    if (this.#controller === null) this.#settle({ kind: 'unsent', reason: 'timeout', cause: 'timeout' });
    else this.#abandon('timeout');
  }

  #listen(silenceMs: number): void {
    if (this.#settled) return;
    this.#cancelSilence();
    this.#cancelSilence = this.#clock.schedule(silenceMs, () => this.#expire());
  }

  #abandon(reason: LostReason): void {
    this.#settle({ kind: 'lost', reason, httpStatus: this.#httpStatus, cause: reason });
    this.#controller?.abort(new Error(reason));
  }

  #bodyFailed(cause: string): boolean {
    const { body } = this.#request;
    return body instanceof Readable && (body.errored !== null || cause === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH');
  }

  #settle(outcome: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#cancelTimeout();
    this.#cancelSilence();
    const { body } = this.#request;
    if (body instanceof Readable) body.destroy();
    this.#resolve(outcome);
  }
}

/** Makes undici drop a request that must not be written. */
class RefusedStart extends Error {
  readonly code = 'REFUSED_START';
}

/** Returns the reason why a request that is safe to repeat has no answer. */
export function connectionFailureOf(error: unknown): UnsentReason | LostReason {
  const cause = error instanceof Error ? causeOf(error) : '';
  if (/TIMEOUT$/.test(cause)) return 'timeout';
  return /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_)/.test(cause) ? 'connection_lost' : unsentReasonOf(cause);
}

function causeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function unsentReasonOf(cause: string): UnsentReason {
  if (cause === 'ENOTFOUND' || cause.startsWith('EAI_')) return 'dns';
  if (cause === 'UND_ERR_CLOSED' || cause === 'UND_ERR_DESTROYED') return 'closed';
  if (cause === 'UND_ERR_INVALID_ARG' || cause === 'UND_ERR_NOT_SUPPORTED') return 'invalid';
  return /TLS|CERT|SSL|SIGNATURE|EPROTO/.test(cause) ? 'tls' : 'connect';
}
