import { errors } from 'undici';
import type { UrlRefusal } from './url-policy.ts';

/**
 * Reason for a failed exchange with a foreign URL. A fixed vocabulary without any text from the other side.
 *
 * - `invalid_url`: not an absolute http(s) URL without userinfo
 * - `blocked`: the address, name or port is closed to us
 * - `dns`: the name was not resolved, or not in time
 * - `connect`: no connection, or it broke, or it did not speak HTTP
 * - `tls`: no trusted TLS session with that host
 * - `timeout`: connection, headers or body were too slow
 * - `too_large`: body or header block over the limit
 * - `http_status`: an answer without the wanted contents
 * - `redirect`: a redirect if none is followed, one too many, or one from https to http
 * - `type`: contents of a type, or in an encoding, that was not asked for
 * - `empty`: no contents
 * - `aborted`: the gateway ended the exchange (caller's signal, shutdown); says nothing about the other side
 */
export type EgressFailure =
  | 'invalid_url'
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'http_status'
  | 'redirect'
  | 'type'
  | 'empty'
  | 'aborted';

/** Carries a known failure through code that can only throw. Never leaves this module. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly reason: EgressFailure;

  constructor(reason: EgressFailure, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/**
 * Maps an error of the HTTP client to a failure.
 * @throws the error itself if it is our own defect (a bad argument) and not a failure of the exchange.
 */
export function classifyFailure(error: unknown): EgressFailure {
  if (error instanceof EgressError) return error.reason;
  if (error instanceof errors.InvalidArgumentError) throw error;
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) return 'timeout';
  if (error instanceof errors.HeadersOverflowError) return 'too_large';
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) return 'aborted';
  if (error instanceof errors.UndiciError || error instanceof errors.HTTPParserError || isSystemError(error)) {
    return 'connect';
  }
  throw error;
}

/** The failure to report for a refused URL. */
export function failureOfRefusal(refusal: UrlRefusal): EgressFailure {
  switch (refusal) {
    case 'syntax':
    case 'scheme':
    case 'userinfo':
      return 'invalid_url';
    case 'host':
    case 'port':
    case 'address':
      return 'blocked';
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
