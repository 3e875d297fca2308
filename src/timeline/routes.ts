import type { FastifyInstance } from 'fastify';
import { callerOf } from '../http/index.ts';
import { readMessageId } from '../messages/index.ts';
import { readTimeline, type TimelineDeps, type Waiting } from './read-timeline.ts';
import { timelineSchema } from './schemas.ts';
import type { TimelineEntry } from './timeline-entry.ts';

/** Registers `GET /v1/messages/{id}/timeline`. */
export function timelineRoutes(app: FastifyInstance, deps: TimelineDeps): void {
  app.get<{ Params: { id: string } }>(
    '/v1/messages/:id/timeline',
    { schema: timelineSchema, config: { failureCode: 'FETCH_FAILED' } },
    async (request) => {
      const id = readMessageId(request.params.id);
      const { entries, waiting, price, callbackData } = await readTimeline(deps, callerOf(request).organizationId, id);
      return {
        data: entries.map(renderEntry),
        waiting: waiting === undefined ? null : renderWaiting(waiting),
        price: price && { micros: price.micros, category: price.category, pricing_type: price.pricingType },
        biz_opaque_callback_data: callbackData,
      };
    },
  );
}

function renderEntry({ atMs, what, members }: TimelineEntry) {
  return { at: new Date(atMs).toISOString(), what, ...members };
}

function renderWaiting({ reasons, nextAttemptAtMs, expiresAtMs }: Waiting) {
  return {
    reasons,
    next_attempt_at: nextAttemptAtMs === null ? null : new Date(nextAttemptAtMs).toISOString(),
    expires_at: new Date(expiresAtMs).toISOString(),
  };
}
