import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than clients send ahead, of which most wait for each answer. */
const BEHIND_MAX = 32;
/** With headers as large as they may be, these take as much memory as an organization's large answers. */
const ALL_BEHIND_MAX = 2_048;

interface Owed {
  response: ServerResponse;
  serve: () => void;
}

/**
 * Has the requests of each connection served one after the other, however many of them a client sends without looking for an answer: the
 * answers behind one that is not read would all have to be kept. Who sends too many ahead is cut off.
 */
export class Pipelines {
  /**
   * What each connection is owed, in order; the first is being served. Kept for as long as the connection, owed something or not: of a
   * table that entries enter and leave with every request, each copy V8 discards holds those it had until the next full collection.
   */
  readonly #owed = new Map<Socket, Owed[]>();
  readonly #onRest: (answered: ServerResponse) => void;
  #behind = 0;

  /** `onRest` is told of the last answer of each connection that is owed nothing more for now. */
  constructor(onRest: (answered: ServerResponse) => void) {
    this.#onRest = onRest;
  }

  /** Counts a connection among those that rest before its first request. */
  connect(socket: Socket): void {
    this.#owedOn(socket);
  }

  /** Calls `serve` once its connection is owed no earlier answer; never, when that ends before. */
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

  /** The answers that connections wait for and that nothing stands before. */
  *begun(): Generator<ServerResponse> {
    for (const [first] of this.#owed.values()) if (first !== undefined) yield first.response;
  }

  /** The connections that are owed nothing. */
  *resting(): Generator<Socket> {
    for (const [socket, owed] of this.#owed) if (owed.length === 0) yield socket;
  }

  /** The last answer that a connection is owed for a request that has come in whole. */
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
