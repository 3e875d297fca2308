export { type Authenticate, type Caller, callerOf, requireAdminToken, requireApiKey } from './bearer.ts';
export { checkShape, readJsonBody } from './json-body.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
