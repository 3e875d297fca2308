import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { type Query, readInteger, readMatching, readText } from '../http/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createQueueReader } from './inspect/explain-queue.ts';
import { createNextReader } from './inspect/read-next.ts';
import { NEXT_MAX, NUMBERS_MAX, nextSchema, queueSchema } from './schemas.ts';

/** Registers `GET /admin/v1/queue` and `GET /admin/v1/queue/next`. */
export function queueRoutes(
  app: FastifyInstance,
  deps: { db: Database; dispatcher: Dispatcher; clock: Clock; changes: Pick<Changes, 'on'>; nodeId: string },
): void {
  const explainQueue = createQueueReader(deps);
  const readNext = createNextReader(deps, NEXT_MAX);
  app.get<{ Querystring: Query }>('/admin/v1/queue', { schema: queueSchema }, async ({ query }) => {
    const organizationId = readText(query, 'organization_id');
    const phoneNumberId = readMatching(query, 'phone_number_id', /^\d{1,64}$/, "the upstream's id of a number");
    const limit = readInteger(query, 'limit', { min: 1, max: NUMBERS_MAX, fallback: 1_000 });
    return await explainQueue({ organizationId, phoneNumberId }, limit);
  });
  app.get<{ Querystring: Query }>('/admin/v1/queue/next', { schema: nextSchema }, ({ query }) =>
    readNext(readInteger(query, 'limit', { min: 1, max: NEXT_MAX, fallback: 50 })),
  );
}
