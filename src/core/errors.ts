/** Every code an answer of Fairway can carry (api-rules#errors). */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_ID'
  | 'TEMPLATE_LANGUAGE_REQUIRED'
  | 'MISSING_PHONE_NUMBER'
  | 'MISSING_FILE'
  | 'INVALID_MEDIA'
  | 'UNAUTHORIZED'
  | 'OUTSIDE_24H_WINDOW'
  | 'TEMPLATE_NOT_APPROVED'
  | 'PLAN_INACTIVE'
  | 'PLAN_MESSAGE_LIMIT_REACHED'
  | 'PLAN_TYPE_NOT_INCLUDED'
  | 'PLAN_BUDGET_EXCEEDED'
  | 'NOT_FOUND'
  | 'ACCOUNT_NOT_FOUND'
  | 'TEMPLATE_NOT_FOUND'
  | 'TEMPLATE_LANGUAGE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'ACCOUNT_NOT_REGISTERED'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'SEND_FAILED'
  | 'PROVIDER_REJECTED'
  | 'UPLOAD_REJECTED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'QUEUE_FULL'
  | 'INTERNAL_ERROR'
  | 'FETCH_FAILED'
  | 'UPLOAD_FAILED'
  | 'UNAVAILABLE';

/** The upstream's own words about a refusal, always with its three fields (api-rules#errors). */
export interface ProviderError {
  code: number;
  error_user_title: string;
  error_user_msg: string;
}

export interface ErrorDetails {
  available_languages?: string[];
  provider_error?: ProviderError;
  /** The upstream's number for the reason within its code; becomes `error.error_subcode`. */
  subcode?: number | null;
  /** The message that was accepted and failed; becomes `messages`, as in the answer to one that did not. */
  messageId?: string;
  /** Seconds the caller should wait; becomes the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Whether this is how the message of an earlier request with the same key ended; becomes the `Idempotent-Replayed` header. */
  isReplay?: boolean;
  /** Only for UPLOAD_REJECTED, whose HTTP status is the upstream's own 4xx or 502 (api-rules#errors). */
  httpStatus?: number;
}

/**
 * The one error class: a failure the caller is told about.
 * `message` is for the caller, `cause` for the log. The HTTP status belongs to `http/`.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** What to throw about a request that is not what it should be. */
export function invalid(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

/** What to throw where there is no room for a request at this moment: a second later there may be. */
export function unavailable(message: string): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 1 });
}
