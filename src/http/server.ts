import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError, type ErrorCode, invalid } from '../core/errors.ts';
import type { ByteBudget } from '../core/limits/byte-budget.ts';
import { isUnreached } from '../database/connection/unreached.ts';
import { isPassing, sqlStateOf } from '../database/failures.ts';
import type { Metrics } from '../telemetry/index.ts';
import { errorBody, replyError, statusOf } from './error-reply.ts';
import { boundReplies } from './intake/bounded-replies.ts';
import { Listener, type ListenerOptions } from './intake/listener.ts';
import { readRawBodies } from './intake/raw-body.ts';
import { onceOver } from './intake/request-end.ts';
import { RequestRoom } from './intake/request-room.ts';
import { createErrorCounter, observeRequests } from './metrics.ts';
import { openApiInfo } from './openapi.ts';
import { bodyErrors, errorBodySchema } from './schemas.ts';
import { refuseUnknownRoutes } from './unknown-routes.ts';

/** Largest JSON body: 1 MiB (api-rules#bodies). */
const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** Length of a request's line and headers together: the route judges an id of any length. */
const PARAMETER_CHARS_MAX = 16 * 1024;

export interface HttpServerOptions extends ListenerOptions {
  log: Logger;
  /** Section `webhooks` of the OpenAPI file: the events posted to customers, by type. */
  webhooks?: Record<string, object>;
  /** Bounds the memory of all bodies together. */
  bodies: ByteBudget;
  /** Address ranges of reverse proxies, whose forwarded headers name the client. None are trusted if it is absent. */
  trustedProxies?: readonly string[];
  /** Registry in which requests are counted. */
  metrics: Metrics;
}

export type HttpServer = FastifyInstance;
export type HttpRequest = FastifyRequest;

declare module 'fastify' {
  interface FastifyInstance {
    /** Address of the error catalogue for `doc_url`; null if the reference is off. */
    errorPage: string | null;
    /** Counts an answer with an error. */
    countError(code: ErrorCode): void;
  }
  interface FastifyContextConfig {
    /** Code of the answer to an unexpected failure of this route, if the API rules name one. */
    failureCode?: ErrorCode;
    /** True if the answer is what people wrote or were sent, as a whole. */
    isContents?: boolean;
  }
}

/**
 * Creates the HTTP server without routes. Bodies arrive as raw buffers, whatever their `Content-Type`. Schemas describe; they do not
 * validate or serialize, because bytes are forwarded as received. Every failure becomes the error body of api-rules#errors.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { log, newRequestId, metrics, errorPage = null, trustedProxies = [] } = options;
  const listener = new Listener(options);
  metrics.gauge(
    'http_waiting_seconds',
    'How long requests wait for their turn.',
    () => listener.waitedMs / 1000,
    'max',
  );
  metrics.gauge('http_connections_unread', 'Connections that are not read before their turn.', () => listener.unread);
  const app = Fastify({
    genReqId: newRequestId,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    bodyLimit: JSON_BODY_BYTES_MAX,
    serverFactory: (handle) => listener.createServer(handle),
    // A request on a live connection is still served while the server is closing.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAMETER_CHARS_MAX, ignoreTrailingSlash: true },
    rewriteUrl: (request) => withoutGraphVersion(request.url ?? '/'),
    clientErrorHandler: (error, socket) => replyClientError(error, socket, listener, options),
    frameworkErrors: (error, request, reply) => void answer(error, request, reply),
  });

  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  app.decorateRequest('caller', null);
  app.decorateRequest('operator', null);
  app.decorateRequest('keySeenAt', null);
  const room = new RequestRoom(app, options.bodies);
  const ends = [room.giveBack, observeRequests(metrics)];
  readRawBodies(app, room, listener.turns);
  boundReplies(app);
  refuseUnknownRoutes(app);
  app.decorate('listener', listener);
  app.decorate('errorPage', errorPage);
  app.decorate('countError', createErrorCounter(metrics));

  app.addHook('onRoute', (route) => {
    const { response } = (route.schema ?? {}) as { response?: Record<string, unknown> };
    const readsBodies = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD');
    if (response && readsBodies) route.schema = { ...route.schema, response: { ...bodyErrors, ...response } };
  });
  app.addHook('onRequest', (request, reply, done) => {
    onceOver(request, reply, ends);
    reply.header('x-request-id', request.id);
    // Fastify refuses a media type it cannot read before it asks any parser; Fairway's parser reads bodies whatever their type.
    if (request.mediaType === undefined) delete request.raw.headers['content-type'];
    const { headers, httpVersion } = request.raw;
    if (headers.host !== undefined || httpVersion === '1.0') return done();
    reply.raw.shouldKeepAlive = false;
    done(invalid('The request has no Host header.'));
  });

  const answer = (error: FastifyError | AppError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const known = toAppError(error, request.routeOptions?.config?.failureCode);
    // A refusal because of load is no failure, and a log line for each would add to the load.
    const isRefusal = known.code === 'UNAVAILABLE' && known.cause === undefined;
    if (statusOf(known) >= 500 && !isRefusal) {
      // An unreachable database fails every request, always at the same place. The log leaves out the details that are the same for all.
      const failure = isDatabaseTrouble(error) ? { reason: error.message } : { requestId: request.id, err: error };
      log.error({ ...failure, route: request.routeOptions?.url, code: known.code }, 'request failed');
    }
    // The framework disconnects a client whose body is refused. Here the rest is read and dropped: many clients read no answer before
    // they have sent all.
    if (reply.hasHeader('connection') && reply.raw.shouldKeepAlive) reply.header('connection', 'keep-alive');
    return replyError(reply, known);
  };
  app.setErrorHandler(answer);

  const { webhooks = {} } = options;
  app.addSchema(errorBodySchema);
  await app.register(swagger, { ...openApiInfo, openapi: { ...openApiInfo.openapi, webhooks } });
  return app;
}

/** Connections on which a request may arrive more slowly than the server allows: its route has a limit of its own. */
const patientConnections = new WeakSet<Socket>();

/** Exempts a request from the server's time limit until the returned function is called. */
export function allowSlowBody(request: FastifyRequest): () => void {
  const { socket } = request.raw;
  patientConnections.add(socket);
  return () => void patientConnections.delete(socket);
}

/** Paths of most requests, which stay as they are. */
const PLAIN_PATH = /^\/v1\/\d+\//;

/**
 * Makes `/v1`, any Graph version and none equivalent before an id (api-rules#paths). Accepts any number of slashes in between, because a
 * base URL that ends in a slash is followed by another. A version alone becomes `/v1` alone. An id begins with a digit, or has at least 24
 * letters and digits, like that of a group. The same holds for the token of an app, which is behind no id, for uploads at the app of a token, and for the id of an upload.
 */
function withoutGraphVersion(url: string): string {
  if (PLAIN_PATH.test(url)) return url;
  const isOfApp = /^\/+(?:v\d{1,3}(?:\.\d{1,3})?\/+)?(oauth\/access_token|app\/uploads)(?=\/?(?:\?|$))/.exec(url);
  if (isOfApp !== null) return `/v1/${isOfApp[1]}${url.slice(isOfApp[0].length)}`;
  const upload = /^\/+(?:v\d{1,3}(?:\.\d{1,3})?\/+)?upload(?::|%3A)/i.exec(url);
  if (upload !== null) return `/v1/uploads/upload:${url.slice(upload[0].length)}`;
  const alone = /^\/+v\d{1,3}(?:\.\d{1,3})?\/*(?=\?|$)/.exec(url);
  if (alone !== null) return `/v1${url.slice(alone[0].length)}`;
  const match = /^\/+(?:v\d{1,3}(?:\.\d{1,3})?\/+)?((?:\d[^/]*|(?=[^/?]*\d)[0-9A-Za-z_=-]{24,128})(?:[/?]|$))/.exec(
    url,
  );
  return match?.[1] === undefined ? url : `/v1/${url.slice(match[0].length - match[1].length)}`;
}

/** Returns the error that the caller sees for a failure. Only the message of an AppError leaves the gateway. */
function toAppError(error: FastifyError | AppError | Error, failureCode: ErrorCode | undefined): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return invalid(`The request cannot be read: ${error.message}.`);
  }
  if (failureCode !== undefined) return new AppError(failureCode, 'A temporary error. Try again.', {}, error);
  if (isDatabaseTrouble(error)) {
    return new AppError(
      'UNAVAILABLE',
      'The gateway cannot store anything right now. Try again.',
      { retryAfterSeconds: 1 },
      error,
    );
  }
  return new AppError('INTERNAL_ERROR', 'An unexpected error. It has been logged under this request id.', {}, error);
}

function isDatabaseTrouble(error: Error): boolean {
  return sqlStateOf(error) === undefined ? isUnreached(error) : isPassing(error);
}

/**
 * Answers bytes that are not HTTP, headers that are too large, or a client that is too slow. The answer has Fairway's error shape, and
 * the connection is closed.
 * After a complete request, such bytes change nothing about its answer. A client that got 400 for it would repeat a request that was
 * accepted, or find the 400 in the middle of a file.
 */
function replyClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  listener: Listener,
  { newRequestId, errorPage = null }: ListenerOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  if (listener.owesAnswers(socket)) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && patientConnections.has(socket)) return;
  const [statusLine, refusal] = refusalOf(error.code);
  const requestId = newRequestId();
  const body = JSON.stringify(errorBody(refusal, requestId, errorPage));
  socket.end(
    `HTTP/1.1 ${statusLine}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function refusalOf(errorCode: string | undefined): [statusLine: string, refusal: AppError] {
  switch (errorCode) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.')];
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', invalid('The request headers are too large.')];
    default:
      return ['400 Bad Request', invalid('The request is not valid HTTP.')];
  }
}
