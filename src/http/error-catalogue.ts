import type { ErrorCode } from '../core/errors.ts';

/** One code of Fairway's answers, as the API answers and documents it. */
export interface ErrorEntry {
  /** HTTP status of the answer. Only UPLOAD_REJECTED may pass on another one. */
  status: number;
  /** Nearest error number of the Graph API, for clients written for that API. */
  graphCode: number;
  /** The cause, for a developer. Markdown. */
  meaning: string;
  /** The caller's next step. Markdown. */
  advice: string;
}

const REPEAT = 'Send the same request again, with a growing pause between attempts.';
const PLAN_ADVICE = "Ask the operator of the gateway to change the organization's plan. The message was not stored.";

/** The error catalogue (api-rules#errors). A code missing here does not compile. */
export const ERROR_CATALOGUE: Record<ErrorCode, ErrorEntry> = {
  VALIDATION_ERROR: {
    status: 400,
    graphCode: 100,
    meaning:
      'The request is malformed: a field is missing, has the wrong shape or an invalid value, or the body is not valid JSON.',
    advice: 'Correct the request; `message` names the field. Sending the same request again gives the same answer.',
  },
  INVALID_ID: {
    status: 400,
    graphCode: 100,
    meaning: 'The id in the path is not a UUID.',
    advice:
      "Use the id of the send's answer, `messages[0].id`. To find a message by its `wamid`, call `GET /v1/messages?message_id=…`.",
  },
  TEMPLATE_LANGUAGE_REQUIRED: {
    status: 400,
    graphCode: 132001,
    meaning: 'The template exists in several languages, and the send names none.',
    advice: 'Add `template.language.code` with a language of `available_languages`.',
  },
  MISSING_PHONE_NUMBER: {
    status: 400,
    graphCode: 100,
    meaning: 'The upload has no field `phone_number`.',
    advice: 'Add `phone_number`: the digits of a connected number with country code, without `+`.',
  },
  MISSING_FILE: {
    status: 400,
    graphCode: 100,
    meaning: 'The upload has no file, or its `file` is a text that is not a valid data URI.',
    advice: 'Send the file as a part of the multipart form, or as `data:<type>;base64,<content>`.',
  },
  INVALID_MEDIA: {
    status: 400,
    graphCode: 100,
    meaning:
      'The file is empty, too large for its type, of a type the platform does not send, or its contents contradict its declared type.',
    advice:
      'Read `message`, which names the detected type. Convert the file or declare its real type. The guide lists types and sizes.',
  },
  UNAUTHORIZED: {
    status: 401,
    graphCode: 190,
    meaning: 'The API key or admin token is missing, wrong, expired or disabled.',
    advice:
      'Send `Authorization: Bearer <API key>`. Ask the operator for a new key if yours was disabled or has expired.',
  },
  FORBIDDEN: {
    status: 403,
    graphCode: 10,
    meaning: "The API key's scopes, numbers or addresses do not permit this request, or the operator's role does not.",
    advice:
      'Read `message`, which names the missing scope, the number, the address or the role. Ask the operator for a key that has it.',
  },
  OUTSIDE_24H_WINDOW: {
    status: 403,
    graphCode: 131047,
    meaning: 'The recipient has neither written nor called within the last 24 hours, so only a template may be sent.',
    advice:
      'Send a template. `GET /v1/{phone_number_id}/windows/{person}` shows if the window is open and when it ends. If the body has a ' +
      '`category`, `message` names the setting that the operator has to turn on.',
  },
  RECIPIENT_OPTED_OUT: {
    status: 403,
    graphCode: 131050,
    meaning:
      'The person wants no marketing from this number. Marketing templates are refused, and those that waited fail with this code.',
    advice:
      'Send no marketing to this person. `GET /v1/opt-outs?person=…` shows the opt-out and its origin; `DELETE /v1/opt-outs/{id}` ends it ' +
      'once the person agrees.',
  },
  TEMPLATE_NOT_APPROVED: {
    status: 403,
    graphCode: 132015,
    meaning: 'The template exists, but its status is not `APPROVED`.',
    advice: 'Wait for the end of its review. `GET /v1/templates/{id}` shows the status and the reason of a rejection.',
  },
  PLAN_INACTIVE: {
    status: 403,
    graphCode: 131042,
    meaning: 'The organization has no active plan, or its plan is suspended.',
    advice: PLAN_ADVICE,
  },
  PLAN_MESSAGE_LIMIT_REACHED: {
    status: 403,
    graphCode: 131042,
    meaning: "The messages of this month's plan are used up.",
    advice: `Wait for the next calendar month (UTC). ${PLAN_ADVICE}`,
  },
  PLAN_TYPE_NOT_INCLUDED: {
    status: 403,
    graphCode: 131042,
    meaning: 'The plan does not include this message type or template category.',
    advice: PLAN_ADVICE,
  },
  PLAN_BUDGET_EXCEEDED: {
    status: 403,
    graphCode: 131042,
    meaning: "The message would cost more than is left of this month's budget.",
    advice: `Wait for the next calendar month (UTC). ${PLAN_ADVICE}`,
  },
  NOT_FOUND: {
    status: 404,
    graphCode: 100,
    meaning: 'The object or path does not exist, or belongs to another organization. Both give the same answer.',
    advice: 'Check the id, the path and the API key. If the path is close to an existing one, `message` names it.',
  },
  ACCOUNT_NOT_FOUND: {
    status: 404,
    graphCode: 33,
    meaning: 'The organization has no connected number with this id or phone number.',
    advice: 'Check the id of the number, or ask the operator to connect its business account.',
  },
  TEMPLATE_NOT_FOUND: {
    status: 404,
    graphCode: 132001,
    meaning: "The number's business account has no template with this name.",
    advice: 'Check the name with `GET /v1/templates?name=…`. The platform was asked as well before this answer.',
  },
  TEMPLATE_LANGUAGE_NOT_FOUND: {
    status: 404,
    graphCode: 132001,
    meaning: 'The template exists, but not in the requested language.',
    advice: 'Use a language of `available_languages`, spelled exactly so.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    graphCode: 100,
    meaning: 'The path exists, but not with this HTTP method.',
    advice: 'Use a method that the header `Allow` lists.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    graphCode: 2,
    meaning: 'The request took too long to arrive: more than half a minute, or two minutes for an upload.',
    advice: 'Send it again over a faster connection. Nothing was stored.',
  },
  ACCOUNT_NOT_REGISTERED: {
    status: 409,
    graphCode: 133010,
    meaning: 'The number has not completed its registration, or the business account has no registered number.',
    advice:
      'Complete the registration at the platform. The gateway notices it by itself; the operator can sync the account at once.',
  },
  CONFLICT: {
    status: 409,
    graphCode: 100,
    meaning: 'The object is not in a state for this operation: for example, the message to quote is still queued.',
    advice:
      'Read the object and repeat the request once its state allows the operation; `message` says which state that is.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    graphCode: 100,
    meaning: 'The request is larger than allowed: 1 MiB of JSON, or 150 MiB of an upload form.',
    advice: 'Send a smaller request. For a file that is too large for its type the code is `INVALID_MEDIA`.',
  },
  SEND_FAILED: {
    status: 422,
    graphCode: 131000,
    meaning:
      'The message failed, in most cases because the platform refused it. `provider_error` has the words of the platform.',
    advice:
      'Correct what `provider_error` names. If its code is 131000, read `error_code` of `GET /v1/messages/{id}`: after ' +
      '`UNKNOWN_OUTCOME` the message may have arrived, after `EXPIRED` or `CANCELLED` it was not sent.',
  },
  PROVIDER_REJECTED: {
    status: 422,
    graphCode: 100,
    meaning: 'The platform refused the request. `provider_error` has its number and its words.',
    advice:
      'Correct what `provider_error` names, for example a duplicate template name or a sample that cannot be fetched.',
  },
  UPLOAD_REJECTED: {
    status: 400,
    graphCode: 100,
    meaning:
      "The platform refused the file. The status is the platform's own, or 502 if it refused the gateway's credentials.",
    advice:
      'Read `message`, the explanation of the platform. After 502, ask the operator to renew the token of the business account.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    graphCode: 100,
    meaning: 'An earlier send with this `Idempotency-Key` had another body.',
    advice: 'Use a new key for a new message, and the same body for a retry. Nothing was sent.',
  },
  RATE_LIMITED: {
    status: 429,
    graphCode: 80007,
    meaning:
      'The organization or the API key makes more requests than its limits allow, or the platform throttles this operation.',
    advice:
      'Wait as many seconds as `Retry-After` says. `message` names the limit, and the header `RateLimit` shows what is left of each. Nothing ' +
      'was stored.',
  },
  QUEUE_FULL: {
    status: 429,
    graphCode: 80007,
    meaning: 'The organization or the number has too many messages waiting.',
    advice: 'Wait as many seconds as `Retry-After` says, or cancel messages that wait. Nothing was stored.',
  },
  INTERNAL_ERROR: {
    status: 500,
    graphCode: 2,
    meaning: 'The gateway failed in a way it did not expect. It has logged the failure under `request_id`.',
    advice: `${REPEAT} Give a send its \`Idempotency-Key\`, so that it is not sent twice. If it persists, give the operator the \`request_id\`.`,
  },
  FETCH_FAILED: {
    status: 500,
    graphCode: 2,
    meaning: 'The message could not be read because of a temporary fault.',
    advice: REPEAT,
  },
  UPLOAD_FAILED: {
    status: 500,
    graphCode: 2,
    meaning: 'The file could not be uploaded because of a temporary fault.',
    advice: REPEAT,
  },
  UNAVAILABLE: {
    status: 503,
    graphCode: 2,
    meaning:
      'The gateway cannot take the request now: it is overloaded, starting, stopping, or cannot reach its database.',
    advice:
      'Wait as many seconds as `Retry-After` says, then send the same request again, a send with its `Idempotency-Key`.',
  },
};
