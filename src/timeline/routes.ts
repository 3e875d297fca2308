import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { callerOf } from '../http/index.ts';
import { readTimeline, type TimelineDeps, type Waiting } from './read-timeline.ts';
import { timelineSchema } from './schemas.ts';
import type { TimelineEntry } from './timeline-entry.ts';

/** `GET /v1/messages/{id}/timeline`. Expects to be registered behind the API key check. */
export function timelineRoutes(app: FastifyInstance, deps: TimelineDeps): void {
  app.get<{ Params: { id: string } }>(
    '/v1/messages/:id/timeline',
    { schema: timelineSchema, config: { failureCode: 'FETCH_FAILED' } },
    async (request) => {
      const { id } = request.params;
      if (!isUuid(id)) throw new AppError('INVALID_ID', 'The message id must be a UUID, as answered by the send.');
      const { entries, waiting } = await readTimeline(deps, callerOf(request).organizationId, id.toLowerCase());
      return { data: entries.map(renderEntry), waiting: waiting === undefined ? null : renderWaiting(waiting) };
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
