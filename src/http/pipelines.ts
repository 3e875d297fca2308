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
  /** What each connection is owed, in order; the first is being served. */
  readonly #owed = new Map<Socket, Owed[]>();
  #behind = 0;

  /** Calls `serve` once its connection is owed no earlier answer; never, when that ends before. */
  enter({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    if (socket.destroyed) return;
    const owed = this.#owed.get(socket);
    const last = { response, serve };
    if (owed === undefined) {
      this.#owed.set(socket, [last]);
      this.#begin(socket, last);
    } else if (owed.length > BEHIND_MAX || this.#behind >= ALL_BEHIND_MAX) {
      socket.destroy();
    } else {
      owed.push(last);
      this.#behind += 1;
    }
  }

  /** The last answer that a connection is owed for a request that has come in whole. */
  lastOwed(socket: Socket): ServerResponse | undefined {
    return this.#owed.get(socket)?.findLast(({ response }) => response.req.complete)?.response;
  }

  #begin(socket: Socket, { response, serve }: Owed): void {
    response.on('close', () => this.#next(socket));
    serve();
  }

  #next(socket: Socket): void {
    const owed = this.#owed.get(socket) ?? [];
    owed.shift();
    const next = owed[0];
    if (next === undefined || !socket.writable) {
      this.#owed.delete(socket);
      this.#behind -= owed.length;
      return;
    }
    this.#behind -= 1;
    this.#begin(socket, next);
  }
}
