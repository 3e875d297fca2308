import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkSecretProof, pathId, performReply, resetEarly, tokenOf } from '../graph/graph-request.ts';
import type { Platform } from '../platform.ts';
import { type IncomingSend, receiveSend, recordEarlyReset } from './receive-send.ts';
import type { SendRoad } from './send-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Time at which the headers of a send had been read. */
    simulatedArrival?: { ns: bigint; at: number };
  }
}

const nothing = Buffer.alloc(0);

/** Registers `POST /{phone_number_id}/messages`, sends and mark-as-read, and `/marketing_messages`, sends of marketing templates. */
export function registerMessageRoutes(app: FastifyInstance, platform: Platform): void {
  app.decorateRequest('simulatedArrival');

  for (const road of ['messages', 'marketing_messages'] as const) {
    app.post(
      `/:id/${road}`,
      {
        config: { simulatedEndpoint: road },
        async onRequest(request, reply) {
          request.simulatedArrival = { ns: process.hrtime.bigint(), at: platform.clock.now() };
          if (resetEarly(platform, request, reply)) recordEarlyReset(platform, incoming(request, road));
        },
      },
      async (request, reply) => {
        checkSecretProof(platform, request);
        return performReply(platform, request, reply, await receiveSend(platform, incoming(request, road)));
      },
    );
  }
}

function incoming(request: FastifyRequest, road: SendRoad): IncomingSend {
  const arrival = request.simulatedArrival ?? { ns: process.hrtime.bigint(), at: Date.now() };
  return {
    phoneNumberId: pathId(request),
    road,
    token: tokenOf(request),
    url: request.originalUrl,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : nothing,
    arrivedNs: arrival.ns,
    arrivedAt: arrival.at,
  };
}
