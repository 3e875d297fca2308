import type { FastifyReply } from 'fastify';
import type { AppError, ErrorCode } from '../core/errors.ts';
import { ERROR_CATALOGUE } from './error-catalogue.ts';
import { sendJson } from './send-json.ts';

/** Path of the error catalogue in the reference. */
export const ERROR_PAGE = '/docs/errors';

/** Codes for objects and operations that do not exist, for which the Graph API has a type of its own. */
const ABSENT: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Returns the HTTP status that an error is answered with. */
export function statusOf(error: AppError): number {
  return error.details.httpStatus ?? ERROR_CATALOGUE[error.code].status;
}

/**
 * Returns the error body: `{message, code, …}` of api-rules#errors with the request's id. It also holds the same error in the Graph API's
 * shape, for clients written for that.
 * @param errorPage address of the page that has each code as an anchor, for `doc_url`; null if the gateway serves no reference
 */
export function errorBody(error: AppError, requestId: string, errorPage: string | null): Record<string, unknown> {
  const { available_languages, messageId, provider_error, subcode = null } = error.details;
  return {
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(errorPage !== null && { doc_url: `${errorPage}#${error.code}` }),
    ...(available_languages && { available_languages }),
    ...(provider_error && { provider_error }),
    ...(messageId !== undefined && { messages: [{ id: messageId, message_status: 'failed' }] }),
    error: {
      message: error.message,
      type: ABSENT.has(error.code) ? 'GraphMethodException' : 'OAuthException',
      code: provider_error?.code ?? ERROR_CATALOGUE[error.code].graphCode,
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
 * Answers `error`, and counts it. Adds `Retry-After` if the caller should try again, `WWW-Authenticate` if a key is needed, and `Idempotent-Replayed` if
 * the error is repeated from an earlier answer.
 */
export function replyError(reply: FastifyReply, error: AppError): FastifyReply {
  const { retryAfterSeconds, isReplay } = error.details;
  reply.server.countError(error.code);
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)));
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer realm="fairway"');
  // Set here, because the framework's own refusals come before the hook that sets it.
  reply.header('x-request-id', reply.request.id);
  return sendJson(
    reply.code(statusOf(error)),
    JSON.stringify(errorBody(error, reply.request.id, reply.server.errorPage)),
  );
}
