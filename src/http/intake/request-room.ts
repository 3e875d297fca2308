import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { ByteBudget } from '../../core/limits/byte-budget.ts';
import { parsedBytesOf } from '../../core/limits/parsed-bytes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body in memory and of what it may be parsed into, as taken from the budget. */
    bodyBytes: number;
    /** Of these, what was taken for what the body may be parsed into. */
    parsedBytes: number;
    /** The handler has read the body and keeps nothing of what it was parsed into: the room for that goes to others. */
    giveBackParsed(): void;
    /** Who is charged for them where it comes without a key: a socket that is closed does not tell its address any more. */
    clientAddress: string;
    /** Who has yet to be done with the body: the connection, and the handler while it is at work. */
    bodyHolders: number;
  }
}

/** Of the whole budget: one address gets half of it, three quarters of what all without a key have together. */
const ADDRESSES_SHARE = 0.75;

/**
 * Room for the bodies of requests: for what has arrived, not for what was announced, so that a slow client holds no more than it
 * sent. Charged to the caller's organization; of callers without a key to all of them together and to the address each comes from,
 * so that no stranger keeps out the webhooks of the platform, which come without a key as well.
 */
export class RequestRoom {
  readonly #budget: ByteBudget;
  readonly #addresses: ByteBudget;

  /** Notes on the requests of `app` what each has taken. */
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

  /** Takes room for `bytes` more of a request's body; false, and nothing is taken, when there is none. */
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

  /** Takes room for what `body`, all of it, may be parsed into. Whatever it becomes, alone it fits. */
  takeParsed(request: FastifyRequest, body: Uint8Array): boolean {
    const { partyBytesMax } = request.caller === null ? this.#addresses : this.#budget;
    const left = Math.max(0, Math.floor(partyBytesMax) - request.bodyBytes);
    const bytes = Math.min(parsedBytesOf(body), left);
    if (!this.take(request, bytes)) return false;
    request.parsedBytes = bytes;
    return true;
  }

  /** A request's connection, or its handler, is done with the body: the last of them gives back all that it took. */
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

  /** A client that goes away ends no work, which goes on holding the body: for ten seconds where it waits for a message to be sent. */
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

/** Who is charged: the caller's organization, or everybody without a key together. */
function partyOf(request: FastifyRequest): string {
  return request.caller?.organizationId ?? '';
}
