import { Type } from 'typebox';
import { adminErrors, errorSchema } from '../http/index.ts';

/** Most numbers in the answer of the queue. */
export const NUMBERS_MAX = 5_000;

export const queueSchema = {
  operationId: 'getQueue',
  summary: 'Read the waiting messages and the reasons',
  description: 'Counts the waiting messages of each number, with the pace of the number and the reason for the wait.',
  tags: ['Operator'],
  querystring: Type.Object({
    organization_id: Type.Optional(Type.String({ format: 'uuid' })),
    phone_number_id: Type.Optional(Type.String()),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: NUMBERS_MAX,
        default: 1_000,
        description: 'If more numbers have waiting messages, the answer has those with the most.',
      }),
    ),
  }),
  response: {
    ...adminErrors,
    200: Type.Object(
      {
        counted_at: Type.String({
          format: 'date-time',
          description: 'Time of the count. A long queue is counted again only after a while.',
        }),
        numbers_waiting: Type.Integer({ description: 'Number of all numbers with waiting messages.' }),
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
        description: 'Every number with something queued, up to the limit.',
        examples: [
          {
            counted_at: '2026-11-02T10:00:00.000Z',
            numbers_waiting: 1,
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

/** Most messages of one node in each list. */
export const NEXT_MAX = 100;

const messageAhead = {
  organization_id: Type.String(),
  phone_number_id: Type.String(),
  message_id: Type.String(),
  api_key_id: Type.Union([Type.String(), Type.Null()], { description: 'Null for sends of operators.' }),
  traffic_class: Type.String(),
  accepted_at: Type.String({ format: 'date-time' }),
};
const exampleAhead = {
  organization_id: '0199c0de-0000-7000-8000-000000000001',
  phone_number_id: '800000000000001',
  message_id: '0199c0de-0000-7000-8000-000000000003',
  api_key_id: '0199c0de-0000-7000-8000-000000000002',
  traffic_class: 'marketing',
  accepted_at: '2026-11-02T09:59:47.000Z',
};

export const nextSchema = {
  operationId: 'getNextMessages',
  summary: 'Read whose message goes next',
  description:
    'Lists the next messages in the order in which they go, node by node: organizations take turns by weight, their numbers equally, the ' +
    'flows of a number by class. The order supposes that every message is answered at once and no other arrives. A recipient appears once, ' +
    'because its next message waits for the answer to the one before. Looking changes no turn.',
  tags: ['Operator'],
  querystring: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: NEXT_MAX, default: 50, description: 'Messages of each node in each list.' }),
    ),
  }),
  response: {
    ...adminErrors,
    200: Type.Object(
      {
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            read_at: Type.String({
              format: 'date-time',
              description:
                'Time of the reading. Other nodes than the one that answers report theirs every five seconds.',
            }),
            turns: Type.Array(Type.Object({ ...messageAhead, expected_at: Type.String({ format: 'date-time' }) })),
            kept_back: Type.Array(
              Type.Object({
                ...messageAhead,
                waits_for: Type.String({
                  description:
                    '`paused`, `parked: …` with its reason, `pair limit`, `retry`, `unknown outcome`, or `on its way` (as many of ' +
                    "the number's messages as may be are not answered yet).",
                }),
                until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
                  description: 'When that ends by itself; null if that is not known.',
                }),
              }),
              { description: 'Messages that cannot go whatever their turn: a few of each number.' },
            ),
          }),
        ),
      },
      {
        description: 'Every node with messages that wait.',
        examples: [
          {
            nodes: [
              {
                id: '0199c0de-0000-7000-8000-000000000004',
                read_at: '2026-11-02T10:00:00.000Z',
                turns: [{ ...exampleAhead, expected_at: '2026-11-02T10:00:00.012Z' }],
                kept_back: [{ ...exampleAhead, waits_for: 'pair limit', until: '2026-11-02T10:00:05.000Z' }],
              },
            ],
          },
        ],
      },
    ),
    400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR'),
  },
};
