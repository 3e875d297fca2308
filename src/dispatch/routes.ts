import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { adminErrors, errorSchema, type Query, readMatching, readText } from '../http/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createQueueReader } from './inspect/explain-queue.ts';

const queueSchema = {
  operationId: 'getQueue',
  summary: 'Read the waiting messages and the reasons',
  description: 'Counts the waiting messages of each number, with the pace of the number and the reason for the wait.',
  tags: ['Operator'],
  querystring: Type.Object({
    organization_id: Type.Optional(Type.String({ format: 'uuid' })),
    phone_number_id: Type.Optional(Type.String()),
  }),
  response: {
    ...adminErrors,
    200: Type.Object(
      {
        counted_at: Type.String({
          format: 'date-time',
          description: 'Time of the count. A long queue is counted again only after a while.',
        }),
        numbers: Type.Array(
          Type.Object({
            organization_id: Type.String(),
            phone_number_id: Type.String(),
            queued: Type.Integer(),
            oldest_wait_seconds: Type.Number(),
            messages_per_second: Type.Number({
              description: "The number's pace: messages a second that it may send now.",
            }),
            used_per_second: Type.Number({ description: 'Messages a second that it has sent in the last seconds.' }),
            waits_for: Type.Array(Type.String(), {
              description:
                '`pacing`, `pair limit`, `on its way` (not answered yet), `retry`, `unknown outcome`, `paused`, `parked: …` ' +
                'with its reason, `disconnected` (its messages are being ended), `being taken over` (this node reads its ' +
                'queue), `another node` (which knows the reason), or `no node` (no dispatching node has the number).',
            }),
            parked_until: Type.Union([Type.String(), Type.Null()], {
              description:
                'When that ends by itself, ISO 8601, or `someone acts`; null while it is not parked, or until the platform has answered.',
            }),
            flows: Type.Array(
              Type.Object({
                api_key_id: Type.Union([Type.String(), Type.Null()], { description: 'Null for sends of operators.' }),
                traffic_class: Type.String(),
                queued: Type.Integer(),
                oldest_wait_seconds: Type.Number(),
              }),
            ),
          }),
        ),
      },
      {
        description: 'Every number with something queued.',
        examples: [
          {
            counted_at: '2026-11-02T10:00:00.000Z',
            numbers: [
              {
                organization_id: '0199c0de-0000-7000-8000-000000000001',
                phone_number_id: '800000000000001',
                queued: 1999,
                oldest_wait_seconds: 12.4,
                messages_per_second: 80,
                used_per_second: 79.8,
                waits_for: ['pacing'],
                parked_until: null,
                flows: [
                  {
                    api_key_id: '0199c0de-0000-7000-8000-000000000002',
                    traffic_class: 'marketing',
                    queued: 1999,
                    oldest_wait_seconds: 12.4,
                  },
                ],
              },
            ],
          },
        ],
      },
    ),
    400: errorSchema('A filter is malformed.', 'VALIDATION_ERROR'),
  },
};

/** Registers `GET /admin/v1/queue`. */
export function queueRoutes(
  app: FastifyInstance,
  deps: { db: Database; dispatcher: Dispatcher; clock: Clock; changes: Pick<Changes, 'on'> },
): void {
  const explainQueue = createQueueReader(deps);
  app.get<{ Querystring: Query }>('/admin/v1/queue', { schema: queueSchema }, async ({ query }) => {
    const organizationId = readText(query, 'organization_id');
    const phoneNumberId = readMatching(query, 'phone_number_id', /^\d{1,64}$/, "the upstream's id of a number");
    const { countedAt, numbers } = await explainQueue({ organizationId, phoneNumberId });
    return { counted_at: countedAt, numbers };
  });
}
