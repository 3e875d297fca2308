import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { ByteBudget } from '../../core/limits/byte-budget.ts';
import { parsedBytesOf } from '../../core/limits/parsed-bytes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body in memory and of its parsed form, as taken from the budget. */
    bodyBytes: number;
    /** Part of `bodyBytes` that was taken for the parsed form. */
    parsedBytes: number;
    /** Gives back the memory of the parsed form. Called if the handler has read the body and keeps nothing of its parsed form. */
    giveBackParsed(): void;
    /** Address that is charged for a request without a key. Stored, because a closed socket no longer has its address. */
    clientAddress: string;
    /** Number of holders of the body: the connection, and the handler while it is at work. */
    bodyHolders: number;
  }
}

/**
 * Part of the whole budget for addresses. One address gets half of it, which is three quarters of the part of all callers without a key.
 */
const ADDRESSES_SHARE = 0.75;

/**
 * Memory for the bodies of requests. Counts the bytes that have arrived, not the announced ones, so that a slow client holds no more than
 * it sent.
 * Bytes are charged to the caller's organization. Bytes of callers without a key are charged to all of them together and to each caller's
 * address. So no stranger keeps out the platform's webhooks, which come without a key as well.
 */
export class RequestRoom {
  readonly #budget: ByteBudget;
  readonly #addresses: ByteBudget;

  /** Decorates the requests of `app` with the memory that each has taken. */
  constructor(app: FastifyInstance, budget: ByteBudget) {
    const room = this;
    app.decorateRequest('bodyBytes', 0);
    app.decorateRequest('parsedBytes', 0);
    app.decorateRequest('giveBackParsed', function () {
      room.#release(this, this.parsedBytes);
    });
    app.decorateRequest('clientAddress', '');
    app.decorateRequest('bodyHolders', 1);
    app.addHook('onRoute', (route) => this.#holdAtWork(route));
    this.#budget = budget;
    this.#addresses = new ByteBudget(budget.bytesMax * ADDRESSES_SHARE);
  }

  /** Takes memory for `bytes` more of a request's body. Returns false, without taking any, if there is none. */
  take(request: FastifyRequest, bytes: number): boolean {
    if (bytes === 0) return true;
    const party = partyOf(request);
    if (!this.#budget.take(party, bytes)) return false;
    if (request.caller === null) {
      if (request.bodyBytes === 0) request.clientAddress = request.ip;
      if (!this.#addresses.take(request.clientAddress, bytes)) {
        this.#budget.giveBack(party, bytes);
        return false;
      }
    }
    request.bodyBytes += bytes;
    return true;
  }

  /** Takes memory for the parsed form of the complete `body`. A request alone always fits, whatever its body is parsed into. */
  takeParsed(request: FastifyRequest, body: Uint8Array): boolean {
    const { partyBytesMax } = request.caller === null ? this.#addresses : this.#budget;
    const left = Math.max(0, Math.floor(partyBytesMax) - request.bodyBytes);
    const bytes = Math.min(parsedBytesOf(body), left);
    if (!this.take(request, bytes)) return false;
    request.parsedBytes = bytes;
    return true;
  }

  /** Marks a request's connection, or its handler, as done with the body. The last of them gives back all its memory. */
  readonly giveBack = (request: FastifyRequest): void => {
    request.bodyHolders -= 1;
    if (request.bodyHolders === 0) this.#release(request, request.bodyBytes);
  };

  #release(request: FastifyRequest, bytes: number): void {
    if (bytes === 0) return;
    request.bodyBytes -= bytes;
    request.parsedBytes = 0;
    this.#budget.giveBack(partyOf(request), bytes);
    if (request.caller === null) this.#addresses.giveBack(request.clientAddress, bytes);
  }

  /**
   * Holds the body while its handler works. A disconnect does not end the work, which takes up to ten seconds if it waits for a message
   * to be sent.
   */
  #holdAtWork(route: RouteOptions): void {
    if ([route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return;
    const room = this;
    const { handler } = route;
    route.handler = function (request, reply) {
      const work: unknown = handler.call(this, request, reply);
      return work instanceof Promise ? room.#untilDone(request, work) : work;
    };
  }

  async #untilDone(request: FastifyRequest, work: Promise<unknown>): Promise<unknown> {
    request.bodyHolders += 1;
    try {
      return await work;
    } finally {
      this.giveBack(request);
    }
  }
}

/** Returns the charged party: the caller's organization, or all callers without a key together. */
function partyOf(request: FastifyRequest): string {
  return request.caller?.organizationId ?? '';
}
