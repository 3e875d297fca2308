import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More requests than clients send ahead; most clients wait for each answer. */
const BEHIND_MAX = 32;
/** With headers of the largest size, these take as much memory as an organization's large answers. */
const ALL_BEHIND_MAX = 2_048;

interface Owed {
  response: ServerResponse;
  serve: () => void;
}

/**
 * Serves the requests of each connection one after the other, however many a client sends without reading an answer. Otherwise all
 * answers behind an unread one would have to be kept. A client that sends too many requests ahead is disconnected.
 */
export class Pipelines {
  /**
   * Answers that each connection is owed, in order; the first is being served. An entry is kept as long as its connection, even if
   * nothing is owed. In a table that changes with every request, each copy that V8 discards would hold its old entries until the next
   * full garbage collection.
   */
  readonly #owed = new Map<Socket, Owed[]>();
  readonly #onRest: (answered: ServerResponse) => void;
  #behind = 0;

  /** Calls `onRest` with the last answer of each connection that is owed nothing more for now. */
  constructor(onRest: (answered: ServerResponse) => void) {
    this.#onRest = onRest;
  }

  /** Counts a connection among the resting ones before its first request. */
  connect(socket: Socket): void {
    this.#owedOn(socket);
  }

  /** Calls `serve` once its connection is owed no earlier answer; never, if the connection ends before. */
  enter({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    if (socket.destroyed) return;
    const owed = this.#owedOn(socket);
    const last = { response, serve };
    if (owed.length === 0) {
      owed.push(last);
      this.#begin(socket, owed, last);
    } else if (owed.length > BEHIND_MAX || this.#behind >= ALL_BEHIND_MAX) {
      socket.destroy();
    } else {
      owed.push(last);
      this.#behind += 1;
    }
  }

  /** Yields the answers that connections wait for and that are being served. */
  *begun(): Generator<ServerResponse> {
    for (const [first] of this.#owed.values()) if (first !== undefined) yield first.response;
  }

  /** Yields the connections that are owed nothing. */
  *resting(): Generator<Socket> {
    for (const [socket, owed] of this.#owed) if (owed.length === 0) yield socket;
  }

  /** Returns the last answer that a connection is owed for a request that has arrived completely. */
  lastOwed(socket: Socket): ServerResponse | undefined {
    return this.#owed.get(socket)?.findLast(({ response }) => response.req.complete)?.response;
  }

  #owedOn(socket: Socket): Owed[] {
    let owed = this.#owed.get(socket);
    if (owed === undefined) {
      owed = [];
      this.#owed.set(socket, owed);
      socket.once('close', () => this.#owed.delete(socket));
    }
    return owed;
  }

  #begin(socket: Socket, owed: Owed[], { response, serve }: Owed): void {
    response.on('close', () => this.#next(socket, owed));
    serve();
  }

  #next(socket: Socket, owed: Owed[]): void {
    const answered = owed.shift();
    const next = owed[0];
    if (next === undefined || !socket.writable) {
      this.#behind -= owed.length;
      owed.length = 0;
      if (answered !== undefined && socket.writable) this.#onRest(answered.response);
      return;
    }
    this.#behind -= 1;
    this.#begin(socket, owed, next);
  }
}
