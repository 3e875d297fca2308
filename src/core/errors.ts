/** All error codes of Fairway's answers (api-rules#errors). */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_ID'
  | 'TEMPLATE_LANGUAGE_REQUIRED'
  | 'MISSING_PHONE_NUMBER'
  | 'MISSING_FILE'
  | 'INVALID_MEDIA'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'OUTSIDE_24H_WINDOW'
  | 'RECIPIENT_OPTED_OUT'
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

/** The platform's own words about a refusal, always with all three fields (api-rules#errors). */
export interface ProviderError {
  code: number;
  error_user_title: string;
  error_user_msg: string;
}

export interface ErrorDetails {
  available_languages?: string[];
  provider_error?: ProviderError;
  /** The platform's number for the reason within its code; becomes `error.error_subcode`. */
  subcode?: number | null;
  /** Id of a message that was accepted and then failed; becomes `messages`, as in the answer to a success. */
  messageId?: string;
  /** Seconds the caller should wait; becomes the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** True if an earlier request with the same key ended this way; becomes the `Idempotent-Replayed` header. */
  isReplay?: boolean;
  /** Only for UPLOAD_REJECTED, with the platform's own 4xx or 502 (api-rules#errors). */
  httpStatus?: number;
}

/**
 * Error class for every failure reported to the caller.
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

/** Returns the error for a malformed request. */
export function invalid(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

/** Returns the error for a request that finds no capacity now; the caller may retry after one second. */
export function unavailable(message: string): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 1 });
}
