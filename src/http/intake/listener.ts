import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../core/errors.ts';
import { keepTraceContext } from '../../telemetry/index.ts';
import { errorBody } from '../error-reply.ts';
import { ConnectionLine } from './connection-line.ts';
import { Pipelines } from './pipelines.ts';
import { Turns } from './turns.ts';

export interface ListenerOptions {
  /** Longest time a client may take to send one request. */
  requestTimeoutMs?: number;
  /** Connections beyond this are closed as they come. */
  connectionsMax?: number;
  /**
   * Whether a request is turned away unread; `isLate` where others have been waiting for as long as one that is turned away. Never when
   * absent.
   */
  sheds?: (isLate: boolean) => boolean;
  /** How many requests that have been begun wait for more of their kind, to be done together; none when absent. */
  gathering?: () => number;
  /** Names a request for its answer's `x-request-id` and for the log. */
  newRequestId: () => string;
  /** 0 ≤ r < 1: spreads the time at which those turned away come again. */
  random?: () => number;
}

/**
 * How many connections there may be, and how many may wait to be taken while the process stands still for a moment: what comes beyond
 * these the kernel drops, and its client tries again seconds later, or is reset. The kernel's own limit bounds it as well.
 */
export const CONNECTIONS_MAX = 10_000;

const RETRY_AFTER_SECONDS = { min: 1, max: 4 };
/**
 * No sooner do those who are turned away come again, one with another: up to here waiting is better for all of them. To turn one away
 * takes more than half of what it takes to serve it, and takes that from those who wait.
 */
const WAITED_MAX_MS = 2_000;
/** Enough to fill the batches of the next moment; the more of them there are, the more of them have to be copied by each collection. */
const READ_AHEAD = 128;
/** So many that nobody has got to yet come when many connections begin to send in the same moment. */
const CROWD_MIN = 2 * READ_AHEAD;
/** More than the largest body that any endpoint takes: whoever sends that, if only with a wrong key, finds the answer. */
const REST_BYTES_MAX = 160 * 1024 * 1024;
const REST_LOOK_MS = 100;
const AT_CAPACITY = new AppError('UNAVAILABLE', 'The gateway is at capacity. Try again.');
/** Some milliseconds' worth each: what was begun gets on in between, however many are to come or to be turned away. */
const BEGUN_AT_ONCE = 64;
const TURNED_AWAY_AT_ONCE = 256;
/** A request may name the whole address where others name the path (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*\/?/i;
/** What must be answered at any load: whether this process lives and what ails it. */
const ALWAYS_SERVED = /^\/(?:healthz|readyz|metrics|admin\/)/;

/**
 * The listening server. Clients that are slow to send headers or a body are cut off. Under overload requests are answered 503
 * right here, before anything is parsed or looked up: turning one away has to cost a fraction of what serving it does. A crowd is
 * worked through over several turns of the event loop, those to be served and those to be turned away: who comes meanwhile is soon taken
 * in, and what was begun does not wait for all of them. The connections of those who come again and again take turns.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #pipelines = new Pipelines((answered) => this.#rest(answered));
  readonly #line: ConnectionLine;
  readonly #turnedAway = new Turns(TURNED_AWAY_AT_ONCE);
  /** Where requests wait that have come in whole. */
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

  /** How many connections are not read before it is their turn. */
  get unread(): number {
    return this.#line.length;
  }

  /** For how long requests wait for their turn, in milliseconds. */
  get waitedMs(): number {
    return Math.max(this.turns.waitedMs, this.#line.waitedMs);
  }

  /** The server that passes requests on to `handle`. Not listening yet. */
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
        // Node's own refusal has no body; ours has.
        requireHostHeader: false,
      },
      enter,
    );
    // One may have to wait before its first request.
    server.on('connection', (socket) => this.#pipelines.connect(socket));
    // What else is expected of a server than to go on may be left out of account (RFC 9110, 10.1.1).
    server.on('checkExpectation', enter);
    server.maxConnections = connectionsMax;
    return server;
  }

  /** Makes every answer from now on, those to requests under way included, its connection's last. */
  takeLeave(): void {
    this.#takesLeave = true;
    this.#line.dissolve();
    for (const response of this.#pipelines.begun()) response.shouldKeepAlive = false;
  }

  /**
   * Whether a connection waits for answers to requests that have come in whole; the last of these, where it has not begun, is the
   * connection's last then.
   */
  owesAnswers(socket: Socket): boolean {
    const last = this.#pipelines.lastOwed(socket);
    if (last !== undefined) last.shouldKeepAlive = false;
    return last !== undefined;
  }

  /** Lets requests wait from now on, unread, until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const handle of held) handle();
  }

  /** Who asks whether the process lives is read at once the next time, too. */
  #rest({ req }: ServerResponse): void {
    if (!isAlwaysServed(req)) this.#line.join(req.socket);
  }
}

function isAlwaysServed({ url = '' }: IncomingMessage): boolean {
  return ALWAYS_SERVED.test(url);
}

/** Has a request that was answered before it was sent cut off once too much more of it has come: it is read on for nothing. */
function boundRest(request: IncomingMessage): void {
  const { socket } = request;
  const bytesMax = socket.bytesRead + REST_BYTES_MAX;
  // Not by listening to what comes: the parser would have to be given all of it by way of JavaScript.
  const looking = setInterval(() => {
    if (request.complete || socket.destroyed) clearInterval(looking);
    else if (socket.bytesRead > bytesMax) socket.destroy();
  }, REST_LOOK_MS).unref();
}

/**
 * Has the connection of a request that is still being sent end on our side only, until the rest has been read: one that is closed on
 * bytes nobody has read is reset, and who sends everything before looking for an answer never sees it. What a request may take to
 * arrive bounds this as well.
 */
function closeOnceRead(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => socket.end();
  request.once('close', () => socket.destroy());
}

function turnAway(response: ServerResponse, { newRequestId, random = Math.random }: ListenerOptions): void {
  const requestId = newRequestId();
  const { min, max } = RETRY_AFTER_SECONDS;
  const body = JSON.stringify(errorBody(AT_CAPACITY, requestId));
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(min + Math.floor(random() * (max - min))),
    'x-request-id': requestId,
  });
  response.end(body);
}
