import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../core/errors.ts';
import { errorSchema } from './schemas.ts';

const DATABASE_ANSWER_MS = 500;

const alive = Type.Object({ status: Type.Literal('ok') }, { description: 'Yes.', examples: [{ status: 'ok' }] });

/** Liveness, readiness and the API's own description; none needs a key. `isReady` says whether sends can be accepted. */
export function healthRoutes(app: FastifyInstance, deps: { isReady: () => Promise<boolean> }): void {
  app.get(
    '/healthz',
    { schema: { summary: 'Does the process live?', tags: ['Health'], security: [], response: { 200: alive } } },
    () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Can it accept sends?',
        tags: ['Health'],
        security: [],
        response: { 200: alive, 503: errorSchema('Not now.', 'UNAVAILABLE') },
      },
    },
    async () => {
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(resolve, DATABASE_ANSWER_MS, false);
      const ready = await Promise.race([deps.isReady(), late]);
      clearTimeout(timer);
      if (!ready)
        throw new AppError('UNAVAILABLE', 'The gateway cannot accept sends right now.', { retryAfterSeconds: 1 });
      return { status: 'ok' };
    },
  );
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
