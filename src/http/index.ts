export { type ApiKeys, type Authenticate, type Caller, callerOf, requireAdminToken, requireApiKey } from './bearer.ts';
export { drainServer } from './drain.ts';
export { healthRoutes } from './health.ts';
export { checkShape, readJsonBody, readOptionalJsonBody } from './json-body.ts';
export { jsonBytesOf } from './json-bytes.ts';
export { CONNECTIONS_MAX } from './listener.ts';
export { metricsRoutes } from './metrics.ts';
export { OPTIONAL_BODY } from './openapi.ts';
export { addressFor } from './public-address.ts';
export {
  fieldNames,
  momentOf,
  type Query,
  readFirstText,
  readInteger,
  readList,
  readMatching,
  readText,
  readTime,
} from './query-parameters.ts';
export { type CheckRate, limitRate, type RateVerdict } from './rate-limit.ts';
export { bodyTooLarge } from './raw-body.ts';
export { ADMIN_ONLY, adminErrors, commonErrors, errorSchema, nullableText, nullableTime } from './schemas.ts';
export { sendJson } from './send-json.ts';
export { allowSlowBody, createHttpServer, type HttpServer } from './server.ts';
export { NO_NUL, NUMERIC_ID, ONE_LINE, PHONE_NUMBER, PRINTABLE } from './text-patterns.ts';
