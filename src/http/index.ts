export { type Authenticate, type Caller, callerOf, requireAdminToken, requireApiKey } from './bearer.ts';
export { checkShape, readJsonBody } from './json-body.ts';
export { commonErrors, errorSchema, nullableTime } from './schemas.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
