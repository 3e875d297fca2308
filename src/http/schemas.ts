import { type TSchema, Type } from 'typebox';
import { AppError, type ErrorCode, type ErrorDetails } from '../core/errors.ts';
import { ERROR_PAGE, errorBody } from './error-reply.ts';

/** Error body of api-rules#errors, the common part of all errors. The OpenAPI file has it once, as `#/components/schemas/Error`. */
export const errorBodySchema = Type.Object(
  {
    message: Type.String({ description: 'Explanation for people.' }),
    code: Type.String({ description: 'Code for programs.' }),
    request_id: Type.String({ description: 'Also in the `x-request-id` header.' }),
    doc_url: Type.Optional(
      Type.String({
        format: 'uri-reference',
        description:
          'Explanation of the code in the reference of this gateway. Absent if the operator has turned the reference off.',
      }),
    ),
    available_languages: Type.Optional(Type.Array(Type.String())),
    provider_error: Type.Optional(
      Type.Object({ code: Type.Integer(), error_user_title: Type.String(), error_user_msg: Type.String() }),
    ),
    error: Type.Object(
      {
        message: Type.String(),
        type: Type.String(),
        code: Type.Integer(),
        error_subcode: Type.Optional(Type.Integer({ description: 'The reason of a refused template.' })),
        error_user_title: Type.Optional(Type.String({ description: 'As in `provider_error`.' })),
        error_user_msg: Type.Optional(Type.String({ description: 'As in `provider_error`.' })),
        error_data: Type.Object({ details: Type.String() }),
        fbtrace_id: Type.String(),
      },
      { description: "The same error in the Graph API's shape." },
    ),
  },
  { $id: 'Error', title: 'Error' },
);

const retryAfter = Type.Integer({ minimum: 1, description: 'Seconds to wait.' });

/** Headers of an error with one of these codes. */
const HEADERS_OF: Partial<Record<ErrorCode, Record<string, TSchema>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': Type.String({ description: 'How to authenticate.' }) },
  RATE_LIMITED: { 'Retry-After': retryAfter },
  QUEUE_FULL: { 'Retry-After': retryAfter },
  UNAVAILABLE: { 'Retry-After': retryAfter },
};

/** Returns an error as an operation documents it; `codes` are the ones it can answer with this status. */
export function errorSchema(description: string, ...codes: ErrorCode[]) {
  const headers = Object.assign({}, ...codes.map((code) => HEADERS_OF[code] ?? {})) as Record<string, TSchema>;
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    allOf: [Type.Ref('Error#')],
    properties: { code: Type.Unsafe<ErrorCode>({ type: 'string', enum: codes }) },
    examples: [exampleError(codes[0] ?? 'INTERNAL_ERROR', description)],
  };
}

const refusal: ErrorDetails = {
  provider_error: {
    code: 100,
    error_user_title: 'Invalid parameter',
    error_user_msg: 'The platform explains its refusal.',
  },
};
const languages: ErrorDetails = { available_languages: ['de', 'en_US'] };

/** Additional fields of an error with one of these codes. */
const DETAILS_OF: Partial<Record<ErrorCode, ErrorDetails>> = {
  TEMPLATE_LANGUAGE_REQUIRED: languages,
  TEMPLATE_LANGUAGE_NOT_FOUND: languages,
  SEND_FAILED: refusal,
  PROVIDER_REJECTED: refusal,
  UPLOAD_REJECTED: refusal,
};

/** Returns an error body with this code, for documentation. */
export function exampleError(code: ErrorCode, message: string) {
  return errorBody(new AppError(code, message, DETAILS_OF[code]), 'r-4f1c-1a', ERROR_PAGE);
}

/** Errors that any operation behind an API key can answer. */
export const commonErrors = {
  401: errorSchema('Missing, wrong, expired or disabled API key.', 'UNAUTHORIZED'),
  403: errorSchema(
    'The limits of the API key do not permit it: scope, number or address. For an operator: the role, or no organization is named.',
    'FORBIDDEN',
  ),
  429: errorSchema('Too many requests; see `Retry-After`.', 'RATE_LIMITED'),
  500: errorSchema('An unexpected error.', 'INTERNAL_ERROR'),
  503: errorSchema('The gateway cannot take the request right now; see `Retry-After`.', 'UNAVAILABLE'),
};

/** Errors that any operation for the operator can answer. */
export const adminErrors = {
  401: errorSchema('Missing, wrong, expired or revoked token.', 'UNAUTHORIZED'),
  403: errorSchema("The operator's role does not permit it.", 'FORBIDDEN'),
  429: errorSchema('Too many failed sign-ins from this address; see `Retry-After`.', 'RATE_LIMITED'),
  500: commonErrors[500],
  503: commonErrors[503],
};

/** Errors that any operation with a request body can answer, besides its own. */
export const bodyErrors = {
  408: errorSchema('The request took too long to arrive.', 'REQUEST_TIMEOUT'),
  413: errorSchema(
    'The body is larger than allowed: 1 MiB unless the operation states another limit.',
    'PAYLOAD_TOO_LARGE',
  ),
};

export const nullableText = Type.Union([Type.String(), Type.Null()]);

/** UTC time as ISO 8601, or null while it has not come. */
export const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
