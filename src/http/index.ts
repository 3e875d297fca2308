export { accessChecks } from './access/access-checks.ts';
export { type ApiKeys, type Caller, callerOf, type KeyLimits, keyOf } from './access/bearer.ts';
export { type Callers, createCallers } from './access/callers.ts';
export type { Credential } from './access/credential.ts';
export { guardRoutes, type NumberLimit, type RouteCaller, type RouteRow } from './access/guard-routes.ts';
export { checkOwnNumber, checkScope } from './access/key-limits.ts';
export { FIRST_ADMIN, type FindOperator, type Identity, type Operator } from './access/operator.ts';
export { createOperatorCheck, operatorOf, tooManySignIns } from './access/operator-token.ts';
export type { CheckRate, RateVerdict } from './access/rate-limit.ts';
export { bitsOf, OPERATOR_ROLES, type OperatorRole, SCOPES, type Scope } from './access/scopes.ts';
export { SealedCookie } from './access/sealed-cookie.ts';
export {
  checkPageRequest,
  readSessionCookie,
  SESSION_COOKIE,
  type SessionOwner,
} from './access/session-cookie.ts';
export { SignInLimit } from './access/sign-in-limit.ts';
export {
  API_KEY_PREFIX,
  hintOf,
  isApiKey,
  isToken,
  makeToken,
  OPERATOR_TOKEN_PREFIX,
  TEST_KEY_PREFIX,
} from './access/token-format.ts';
export { ERROR_CATALOGUE } from './error-catalogue.ts';
export { ERROR_PAGE } from './error-reply.ts';
export { healthRoutes } from './health.ts';
export { drainServer } from './intake/drain.ts';
export { CONNECTIONS_MAX } from './intake/listener.ts';
export { bodyTooLarge } from './intake/raw-body.ts';
export { checkShape, readJsonBody, readOptionalJsonBody } from './json-body.ts';
export { jsonBytesOf, startsAsJson } from './json-bytes.ts';
export { metricsRoutes } from './metrics.ts';
export { named, OPTIONAL_BODY } from './openapi.ts';
export { addressFor } from './public-address.ts';
export {
  fieldNames,
  momentOf,
  type Query,
  readFirstText,
  readInteger,
  readList,
  readMatching,
  readNumberId,
  readText,
  readTime,
} from './query-parameters.ts';
export { adminErrors, commonErrors, errorSchema, exampleError, nullableText, nullableTime } from './schemas.ts';
export { type SecurityContact, securityTxtRoute } from './security-txt.ts';
export { sendJson } from './send-json.ts';
export { allowSlowBody, createHttpServer, type HttpRequest, type HttpServer } from './server.ts';
export {
  NO_NUL,
  NUMERIC_ID,
  ONE_LINE,
  PHONE_NUMBER,
  PIN,
  PRINTABLE,
  TEMPLATE_NAME,
  VERIFICATION_CODE,
} from './text-patterns.ts';
