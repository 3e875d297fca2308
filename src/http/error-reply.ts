import type { FastifyReply } from 'fastify';
import type { AppError, ErrorCode } from '../core/errors.ts';
import { sendJson } from './send-json.ts';

/** HTTP status and nearest Graph error number of each code (api-rules#errors). A code missing here does not compile. */
const REPLY_OF: Record<ErrorCode, { status: number; graphCode: number }> = {
  VALIDATION_ERROR: { status: 400, graphCode: 100 },
  INVALID_ID: { status: 400, graphCode: 100 },
  TEMPLATE_LANGUAGE_REQUIRED: { status: 400, graphCode: 132001 },
  MISSING_PHONE_NUMBER: { status: 400, graphCode: 100 },
  MISSING_FILE: { status: 400, graphCode: 100 },
  INVALID_MEDIA: { status: 400, graphCode: 100 },
  UNAUTHORIZED: { status: 401, graphCode: 190 },
  OUTSIDE_24H_WINDOW: { status: 403, graphCode: 131047 },
  TEMPLATE_NOT_APPROVED: { status: 403, graphCode: 132015 },
  PLAN_INACTIVE: { status: 403, graphCode: 131042 },
  PLAN_MESSAGE_LIMIT_REACHED: { status: 403, graphCode: 131042 },
  PLAN_TYPE_NOT_INCLUDED: { status: 403, graphCode: 131042 },
  PLAN_BUDGET_EXCEEDED: { status: 403, graphCode: 131042 },
  NOT_FOUND: { status: 404, graphCode: 100 },
  ACCOUNT_NOT_FOUND: { status: 404, graphCode: 33 },
  TEMPLATE_NOT_FOUND: { status: 404, graphCode: 132001 },
  TEMPLATE_LANGUAGE_NOT_FOUND: { status: 404, graphCode: 132001 },
  METHOD_NOT_ALLOWED: { status: 405, graphCode: 100 },
  REQUEST_TIMEOUT: { status: 408, graphCode: 2 },
  ACCOUNT_NOT_REGISTERED: { status: 409, graphCode: 133010 },
  CONFLICT: { status: 409, graphCode: 100 },
  PAYLOAD_TOO_LARGE: { status: 413, graphCode: 100 },
  SEND_FAILED: { status: 422, graphCode: 131000 },
  PROVIDER_REJECTED: { status: 422, graphCode: 100 },
  UPLOAD_REJECTED: { status: 400, graphCode: 100 },
  IDEMPOTENCY_KEY_REUSED: { status: 422, graphCode: 100 },
  RATE_LIMITED: { status: 429, graphCode: 80007 },
  QUEUE_FULL: { status: 429, graphCode: 80007 },
  INTERNAL_ERROR: { status: 500, graphCode: 2 },
  FETCH_FAILED: { status: 500, graphCode: 2 },
  UPLOAD_FAILED: { status: 500, graphCode: 2 },
  UNAVAILABLE: { status: 503, graphCode: 2 },
};

/** Codes for objects and operations that do not exist, for which the Graph API has a type of its own. */
const ABSENT: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Returns the HTTP status that an error is answered with. */
export function statusOf(error: AppError): number {
  return error.details.httpStatus ?? REPLY_OF[error.code].status;
}

/**
 * Returns the error body: `{message, code, …}` of api-rules#errors with the request's id. It also holds the same error in the Graph API's
 * shape, for clients written for that.
 */
export function errorBody(error: AppError, requestId: string): Record<string, unknown> {
  const { available_languages, messageId, provider_error, subcode = null } = error.details;
  return {
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(available_languages && { available_languages }),
    ...(provider_error && { provider_error }),
    ...(messageId !== undefined && { messages: [{ id: messageId, message_status: 'failed' }] }),
    error: {
      message: error.message,
      type: ABSENT.has(error.code) ? 'GraphMethodException' : 'OAuthException',
      code: provider_error?.code ?? REPLY_OF[error.code].graphCode,
      ...(subcode !== null && { error_subcode: subcode }),
      ...(provider_error && {
        error_user_title: provider_error.error_user_title,
        error_user_msg: provider_error.error_user_msg,
      }),
      error_data: { details: provider_error?.error_user_msg ?? error.message },
      fbtrace_id: requestId,
    },
  };
}

/**
 * Answers `error`. Adds `Retry-After` if the caller should try again, `WWW-Authenticate` if a key is needed, and `Idempotent-Replayed` if
 * the error is repeated from an earlier answer.
 */
export function replyError(reply: FastifyReply, error: AppError): FastifyReply {
  const { retryAfterSeconds, isReplay } = error.details;
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)));
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer realm="fairway"');
  // Set here, because the framework's own refusals come before the hook that sets it.
  reply.header('x-request-id', reply.request.id);
  return sendJson(reply.code(statusOf(error)), JSON.stringify(errorBody(error, reply.request.id)));
}
