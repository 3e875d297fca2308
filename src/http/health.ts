import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { unavailable } from '../core/errors.ts';
import { addressFor } from './public-address.ts';
import { errorSchema } from './schemas.ts';

const alive = Type.Object(
  { status: Type.Literal('ok') },
  { description: 'The check passed.', examples: [{ status: 'ok' }] },
);

const unreadable = errorSchema('The request has no Host header.', 'VALIDATION_ERROR');

interface HealthDeps {
  /** Returns true if sends can be accepted; answers quickly. */
  isReady: () => Promise<boolean>;
  /** Address at which clients reach the gateway; `null`: each at the address that it requests. */
  publicUrl: string | null;
}

/** Registers liveness, readiness and the OpenAPI file; none of them needs a key. */
export function healthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process lives',
        description: "Answers 200 as long as the process runs. For a load balancer's liveness check.",
        tags: ['Health'],
        response: { 200: alive, 400: unreadable },
      },
    },
    () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Check that the process accepts sends',
        description:
          "Answers 200 if the process has started and reaches its database, otherwise 503. For a load balancer's " +
          'readiness check.',
        tags: ['Health'],
        response: { 200: alive, 400: unreadable, 503: errorSchema('The gateway accepts no sends now.', 'UNAVAILABLE') },
      },
    },
    async () => {
      if (!(await deps.isReady())) throw unavailable('The gateway cannot accept sends right now.');
      return { status: 'ok' };
    },
  );
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    // Tools that run in a browser read it, from any page: it holds nothing of a tenant's.
    reply.header('access-control-allow-origin', '*');
    return { ...app.swagger(), servers: [{ url: addressFor(request, deps.publicUrl) }] };
  });
}
