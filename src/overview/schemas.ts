import { Type } from 'typebox';
import { adminErrors, nullableText, nullableTime } from '../http/index.ts';

const time = Type.String({ format: 'date-time' });
const count = Type.Integer({ minimum: 0 });
const seconds = Type.Number({ minimum: 0 });

const minute = Type.Object({ at: time, accepted: count, sent: count, delivered: count, failed: count });
const queue = Type.Union([Type.Object({ waiting: count, held: count, oldest_wait_seconds: seconds }), Type.Null()], {
  description:
    'Messages that wait on all nodes, of these the ones whose outcome is unknown, and the wait of the oldest. Counted at most every ten ' +
    'seconds; null if the count failed.',
});
const webhooks = Type.Object(
  { oldest_wait_seconds: seconds, endpoints_waiting: count },
  { description: 'Age of the oldest event that waits for its delivery, and the endpoints with such events.' },
);
const node = Type.Object({
  id: Type.String({ format: 'uuid' }),
  alive: Type.Boolean({ description: 'False for a node that ended without giving back its work.' }),
  started_at: time,
  seen_at: time,
  roles: Type.Array(Type.String(), { description: '`api`, `dispatch`, `deliver`.' }),
  shards: Type.Integer({ description: 'Shards of the queues that it works on.' }),
  report: Type.Union(
    [
      Type.Object({
        sent_per_second: Type.Number(),
        in_flight: count,
        numbers: count,
        event_loop_delay_seconds: Type.Number(),
        memory_bytes: count,
      }),
      Type.Null(),
    ],
    { description: "The node's own figures, a few seconds old; null before its first report." },
  ),
});
const attention = Type.Object({
  kind: Type.String({
    description:
      '`account_parked`, `number_parked`, `number_paused`, `endpoint_disabled`, `endpoint_failing`, `node_lost`, `no_dispatch` or ' +
      '`webhooks_pending`.',
  }),
  subject: Type.String({
    description: "The platform's id of a number or account, or the id of an endpoint or a node.",
  }),
  organization_id: nullableText,
  since: nullableTime,
  reason: Type.String(),
  repair: Type.Union(
    [
      Type.Object({
        method: Type.String(),
        path: Type.String(),
        body: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
          description: 'Null if the call has no body, or if you supply it: the new token of an account.',
        }),
      }),
      Type.Null(),
    ],
    {
      description:
        'The call that repairs it, as soon as its cause is gone. A path below `/v1` needs the header `Fairway-Organization`.',
    },
  ),
});

export const overviewSchema = {
  operationId: 'getOverview',
  summary: 'Read the state of the whole gateway',
  description:
    'Messages by minute of the last hour, the queue, the delivery of webhooks, the nodes, and the things that need a person. Made to be polled: ' +
    'all pollers of a node share one reading in 1.5 seconds.',
  tags: ['Operator'],
  response: {
    ...adminErrors,
    200: Type.Object(
      {
        at: time,
        minutes: Type.Array(minute, {
          description: 'One entry for each minute, oldest first. The last two still grow.',
        }),
        queue,
        webhooks,
        nodes: Type.Array(node),
        attention: Type.Array(attention, { description: 'At most 50 of each kind, the most urgent first.' }),
      },
      {
        description: 'The state.',
        examples: [
          {
            at: '2026-11-02T10:00:00.000Z',
            minutes: [{ at: '2026-11-02T10:00:00.000Z', accepted: 120, sent: 118, delivered: 97, failed: 1 }],
            queue: { waiting: 1999, held: 0, oldest_wait_seconds: 12.4 },
            webhooks: { oldest_wait_seconds: 0.2, endpoints_waiting: 1 },
            nodes: [
              {
                id: '0199c0de-0000-7000-8000-000000000009',
                alive: true,
                started_at: '2026-11-02T08:00:00.000Z',
                seen_at: '2026-11-02T09:59:59.500Z',
                roles: ['api', 'dispatch', 'deliver'],
                shards: 64,
                report: {
                  sent_per_second: 79.8,
                  in_flight: 12,
                  numbers: 3,
                  event_loop_delay_seconds: 0.002,
                  memory_bytes: 180000000,
                },
              },
            ],
            attention: [
              {
                kind: 'number_paused',
                subject: '800000000000001',
                organization_id: '0199c0de-0000-7000-8000-000000000001',
                since: null,
                reason: 'An operator has paused the number.',
                repair: { method: 'PATCH', path: '/admin/v1/numbers/800000000000001', body: { paused: false } },
              },
            ],
          },
        ],
      },
    ),
  },
};
