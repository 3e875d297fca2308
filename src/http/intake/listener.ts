import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../core/errors.ts';
import { keepTraceContext } from '../../telemetry/index.ts';
import { errorBody } from '../error-reply.ts';
import { ConnectionLine } from './connection-line.ts';
import { Pipelines } from './pipelines.ts';
import { Turns } from './turns.ts';

export interface ListenerOptions {
  /** Longest time in ms that a client may take to send one request. */
  requestTimeoutMs?: number;
  /** Most open connections; further ones are closed as they come. */
  connectionsMax?: number;
  /**
   * Returns true if a request is to be refused unread; never, if absent. `isLate` is true if other requests already wait as long as
   * allowed.
   */
  sheds?: (isLate: boolean) => boolean;
  /** Number of requests in progress that wait to fill a batch; none, if absent. */
  gathering?: () => number;
  /** Returns the id of a request, for `x-request-id` and the log. */
  newRequestId: () => string;
  /** Address of the error catalogue, for `doc_url` of refusals; null or absent if there is none. */
  errorPage?: string | null;
  /** Random number in [0, 1): spreads the retries of refused clients over time. */
  random?: () => number;
}

/**
 * Most open connections, and most connections that may wait to be accepted while the process is blocked for a moment. Beyond that, the
 * kernel drops connections: their clients retry seconds later, or are reset. The kernel's own limit applies as well.
 */
export const CONNECTIONS_MAX = 10_000;

const RETRY_AFTER_SECONDS = { min: 1, max: 4 };
/**
 * Longest wait in ms before newcomers are refused. Refused clients come back after this time on average, so up to here waiting is better
 * for everyone. To refuse a request costs more than half of serving it, and that time is taken from the requests that wait.
 */
const WAITED_MAX_MS = 2_000;
/**
 * Requests read ahead: enough to fill the batches of the next moment. Each garbage collection has to copy them, so more would cost more.
 */
const READ_AHEAD = 128;
/** Number of unserved requests at hand if many connections start to send at the same moment. */
const CROWD_MIN = 2 * READ_AHEAD;
/** More than the largest body of any endpoint: a client that sends such a body, even with a wrong key, receives the answer. */
const REST_BYTES_MAX = 160 * 1024 * 1024;
const REST_LOOK_MS = 100;
const AT_CAPACITY = new AppError('UNAVAILABLE', 'The gateway is at capacity. Try again.');
/** A few milliseconds of work each: requests in progress continue in between, however many are to be started or refused. */
const BEGUN_AT_ONCE = 64;
const TURNED_AWAY_AT_ONCE = 256;
/** Absolute form of a request target, which a client may send instead of the path (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*\/?/i;
/** Paths that must be answered under any load: liveness and diagnosis of this process. */
const ALWAYS_SERVED = /^\/(?:healthz|readyz|metrics|admin\/)/;

/**
 * Listening server. Clients that send headers or a body too slowly are disconnected.
 * Under overload, requests are answered 503 right here, before anything is parsed or looked up: a refusal has to cost a fraction of
 * serving a request. A crowd is processed over several turns of the event loop, both the requests to serve and those to refuse. So
 * newcomers are soon accepted, and requests in progress do not wait for the whole crowd. Connections of clients that come again and again
 * take turns.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #pipelines = new Pipelines((answered) => this.#rest(answered));
  readonly #line: ConnectionLine;
  readonly #turnedAway = new Turns(TURNED_AWAY_AT_ONCE);
  /** Requests that have arrived completely and wait to be started. */
  readonly turns = new Turns(BEGUN_AT_ONCE);
  #takesLeave = false;
  #held: (() => void)[] | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { gathering = () => 0 } = options;
    this.#line = new ConnectionLine({
      room: () => READ_AHEAD - this.turns.length - gathering(),
      waitedMaxMs: WAITED_MAX_MS,
    });
  }

  /** Number of connections that are not read before their turn. */
  get unread(): number {
    return this.#line.length;
  }

  /** Time in milliseconds that requests wait for their turn. */
  get waitedMs(): number {
    return Math.max(this.turns.waitedMs, this.#line.waitedMs);
  }

  /** Creates the server, which passes requests on to `handle`. It does not listen yet. */
  createServer(handle: RequestListener): Server {
    const { requestTimeoutMs = 30_000, connectionsMax = CONNECTIONS_MAX, sheds = () => false } = this.#options;
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      request.url = request.url?.replace(ORIGIN, '/');
      if (this.#takesLeave) response.shouldKeepAlive = false;
      // Before the server's own listener, which closes the connection.
      response.prependListener('finish', () => {
        if (request.complete) return;
        boundRest(request);
        if (!response.shouldKeepAlive) closeOnceRead(request);
      });
      if (this.turns.length + this.#turnedAway.length >= CROWD_MIN) this.#line.joinAll(this.#pipelines.resting());
      const isLate = this.waitedMs >= WAITED_MAX_MS && !this.#line.hasWaited(request.socket);
      if (sheds(isLate) && !isAlwaysServed(request)) {
        this.#turnedAway.add(() => turnAway(response, this.#options));
        return;
      }
      if (this.#held === undefined) handle(request, response);
      else this.#held.push(keepTraceContext(() => handle(request, response)));
    };
    const enter: RequestListener = (request, response) =>
      this.#pipelines.enter(
        request,
        response,
        keepTraceContext(() => serve(request, response)),
      );
    const server = createServer(
      {
        headersTimeout: Math.min(10_000, requestTimeoutMs),
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: 72_000,
        connectionsCheckingInterval: 2_000,
        maxHeaderSize: 16 * 1024,
        // Node's own refusal has no body; Fairway's has.
        requireHostHeader: false,
      },
      enter,
    );
    // A connection may have to wait before its first request.
    server.on('connection', (socket) => this.#pipelines.connect(socket));
    // Expectations other than `100-continue` may be ignored (RFC 9110, 10.1.1).
    server.on('checkExpectation', enter);
    server.maxConnections = connectionsMax;
    return server;
  }

  /** Makes every answer from now on the last of its connection, including answers to requests in progress. */
  takeLeave(): void {
    this.#takesLeave = true;
    this.#line.dissolve();
    for (const response of this.#pipelines.begun()) response.shouldKeepAlive = false;
  }

  /**
   * Returns true if a connection waits for answers to requests that have arrived completely. The last of these answers, if it has not
   * begun, then also ends the connection.
   */
  owesAnswers(socket: Socket): boolean {
    const last = this.#pipelines.lastOwed(socket);
    if (last !== undefined) last.shouldKeepAlive = false;
    return last !== undefined;
  }

  /** Makes requests wait, unread, until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const handle of held) handle();
  }

  /** Lets a connection wait in line after its last answer. A client that checks liveness is read at once the next time, too. */
  #rest({ req }: ServerResponse): void {
    if (!isAlwaysServed(req)) this.#line.join(req.socket);
  }
}

function isAlwaysServed({ url = '' }: IncomingMessage): boolean {
  return ALWAYS_SERVED.test(url);
}

/** Cuts off a request that was answered before it was sent completely, once too much more of it arrives: the rest is read for nothing. */
function boundRest(request: IncomingMessage): void {
  const { socket } = request;
  const bytesMax = socket.bytesRead + REST_BYTES_MAX;
  // Polls instead of listening to the data: otherwise the parser would have to pass all of it through JavaScript.
  const looking = setInterval(() => {
    if (request.complete || socket.destroyed) clearInterval(looking);
    else if (socket.bytesRead > bytesMax) socket.destroy();
  }, REST_LOOK_MS).unref();
}

/**
 * Ends the connection of a request that is still being sent on this side only, until the rest has been read. A connection closed with
 * unread bytes is reset, and a client that sends everything before it reads would never see the answer. The time limit of a request
 * bounds this as well.
 */
function closeOnceRead(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => socket.end();
  request.once('close', () => socket.destroy());
}

function turnAway(
  response: ServerResponse,
  { newRequestId, errorPage = null, random = Math.random }: ListenerOptions,
): void {
  const requestId = newRequestId();
  const { min, max } = RETRY_AFTER_SECONDS;
  const body = JSON.stringify(errorBody(AT_CAPACITY, requestId, errorPage));
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(min + Math.floor(random() * (max - min))),
    'x-request-id': requestId,
  });
  response.end(body);
}
