import type { components } from './api-types.ts';

/** Body of an error, as the gateway answers it. */
export type ErrorBody = components['schemas']['Error'];

/** Base of every error of this client, except an abort by the caller's signal. */
export class FairwayError extends Error {
  override name = 'FairwayError';
}

/** Facts of a refused request. */
export interface Refusal {
  status: number;
  headers: Headers;
  /** The body: the gateway's own error, the platform's with `error` alone, or any other of a proxy in between. */
  body: Partial<ErrorBody> & { messages?: { id: string }[] };
  /** Wait that the answer asks for in milliseconds, or null. */
  retryAfterMs: number | null;
  /** The key of a refused send. */
  idempotencyKey?: string | undefined;
}

/** The gateway refused a request. The subclasses name the kinds of refusals. */
export class ApiError extends FairwayError {
  override name = 'ApiError';
  readonly status: number;
  /** Code for programs, such as `OUTSIDE_24H_WINDOW`; `HTTP_502` and the like if the answer is not the gateway's. */
  readonly code: string;
  /** Address that explains the code, if the gateway serves its reference. */
  readonly docUrl: string | undefined;
  /** Identifies the request for the operator. */
  readonly requestId: string | undefined;
  /** The platform's own words, if the platform refused. */
  readonly providerError: ErrorBody['provider_error'];
  /** Languages of the template, if the language was absent or wrong. */
  readonly availableLanguages: readonly string[] | undefined;
  /** Wait that the answer asks for in milliseconds, or null. */
  readonly retryAfterMs: number | null;
  /** The key of a refused send, for its repetition. */
  readonly idempotencyKey: string | undefined;
  readonly headers: Headers;
  readonly body: Refusal['body'];

  constructor({ status, headers, body, retryAfterMs, idempotencyKey }: Refusal) {
    super(body.message ?? body.error?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? `HTTP_${status}`;
    this.docUrl = body.doc_url;
    this.requestId = body.request_id ?? headers.get('x-request-id') ?? undefined;
    this.providerError = body.provider_error;
    this.availableLanguages = body.available_languages;
    this.retryAfterMs = retryAfterMs;
    this.idempotencyKey = idempotencyKey;
    this.headers = headers;
    this.body = body;
  }
}

/** 400, 405 and 413: the request has to be corrected. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}

/** 401: the key is missing, wrong, disabled or expired. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}

/** 403: a closed window, a template without approval, the plan, or a limit of the key (`FORBIDDEN`: scope, number or source address). */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}

/** 404: the object does not exist, or belongs to another organization. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 409: the object is in no state for this request. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/** 422: the platform refused, or the idempotency key belongs to another body. */
export class RejectedError extends ApiError {
  override name = 'RejectedError';

  /** The id of the failed message of a send with `sync`. */
  get messageId(): string | undefined {
    return this.body.messages?.[0]?.id;
  }
}

/** 429: too many requests, or a full queue. Nothing was stored. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}

/** 5xx: a passing fault. The same request may be repeated, a send with its idempotency key. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** No answer arrived. A send may have been accepted: repeat it with `idempotencyKey`. */
export class ConnectionError extends FairwayError {
  override name = 'ConnectionError';
  readonly idempotencyKey: string | undefined;

  constructor(message: string, idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** The time limit of an attempt passed. A send may have been accepted: repeat it with `idempotencyKey`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** Returns the error of a refusal, of the class of its status. */
export function apiErrorOf(refusal: Refusal): ApiError {
  const { status } = refusal;
  if (status === 401) return new AuthenticationError(refusal);
  if (status === 403) return new PermissionError(refusal);
  if (status === 404) return new NotFoundError(refusal);
  if (status === 409) return new ConflictError(refusal);
  if (status === 422) return new RejectedError(refusal);
  if (status === 429) return new RateLimitError(refusal);
  if (status >= 500) return new ServerError(refusal);
  if (status === 400 || status === 405 || status === 413) return new InvalidRequestError(refusal);
  return new ApiError(refusal);
}
