import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkSecretProof, pathId, performReply, resetEarly, tokenOf } from '../graph/graph-request.ts';
import type { Platform } from '../platform.ts';
import { type IncomingSend, receiveSend, recordEarlyReset } from './receive-send.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Time at which the headers of a send had been read. */
    simulatedArrival?: { ns: bigint; at: number };
  }
}

const nothing = Buffer.alloc(0);

/** Registers `POST /{phone_number_id}/messages`: sends and mark-as-read. */
export function registerMessageRoutes(app: FastifyInstance, platform: Platform): void {
  app.decorateRequest('simulatedArrival');

  app.post(
    '/:id/messages',
    {
      config: { simulatedEndpoint: 'messages' },
      async onRequest(request, reply) {
        request.simulatedArrival = { ns: process.hrtime.bigint(), at: platform.clock.now() };
        if (resetEarly(platform, request, reply)) recordEarlyReset(platform, incoming(request));
      },
    },
    async (request, reply) => {
      checkSecretProof(platform, request);
      return performReply(platform, request, reply, await receiveSend(platform, incoming(request)));
    },
  );
}

function incoming(request: FastifyRequest): IncomingSend {
  const arrival = request.simulatedArrival ?? { ns: process.hrtime.bigint(), at: Date.now() };
  return {
    phoneNumberId: pathId(request),
    token: tokenOf(request),
    url: request.originalUrl,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : nothing,
    arrivedNs: arrival.ns,
    arrivedAt: arrival.at,
  };
}
