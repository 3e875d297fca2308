import { Type } from 'typebox';
import { named, nullableTime } from '../../http/index.ts';
import { closed, EXAMPLE_EVENT_ID, endpointParams, LIST_MAX, next, nullable, ofEndpoint, TAGS } from '../schemas.ts';
import { ATTEMPTS_SHOWN_MAX } from './delivery-queries.ts';

const time = Type.String({ description: 'ISO 8601 with its offset from UTC.' });
const after = Type.Optional(Type.String({ maxLength: 200, description: '`next.after` of an earlier answer.' }));

export const replayBody = named(
  'ReplayRequest',
  Type.Union(
    [
      Type.Object(
        { event_id: Type.String({ maxLength: 64 }) },
        { ...closed, description: 'The event to deliver again.' },
      ),
      Type.Object(
        { from: time, to: Type.Optional(time), after },
        { ...closed, description: 'Events recorded in [from, to) that the filter of the endpoint lets through.' },
      ),
      Type.Object(
        { failed_since: time, after },
        {
          ...closed,
          description: 'Deliveries that failed for good since then; retries still to come fall due at once.',
        },
      ),
    ],
    { examples: [{ event_id: EXAMPLE_EVENT_ID }, { failed_since: '2026-11-02T00:00:00Z' }] },
  ),
);

const attempt = named(
  'DeliveryAttempt',
  Type.Object({
    at: Type.String({ format: 'date-time', description: 'Time of its end.' }),
    http_status: nullable(Type.Integer()),
    failure: nullable(
      Type.String({
        description:
          'Null if it delivered; `http_status`, `redirect`, `timeout`, `connect`, `dns`, `tls`, `blocked` …, or ' +
          '`expired` if the event is no longer kept.',
      }),
    ),
    latency_ms: Type.Integer(),
    answer: nullable(Type.String({ description: "The first KiB of the endpoint's answer." })),
  }),
);

const delivery = named(
  'Delivery',
  Type.Object({
    event_id: Type.String({ description: 'Also the `webhook-id` of every attempt.' }),
    event_type: Type.String(),
    recorded_at: Type.String({ format: 'date-time', description: 'When the event was recorded, to the second.' }),
    status: Type.Enum(['pending', 'delivered', 'failed']),
    next_attempt_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'For a pending delivery with failed attempts.',
    }),
    settled_at: nullableTime,
    attempts: Type.Array(attempt, {
      description: `Oldest first; the last ${ATTEMPTS_SHOWN_MAX} of a delivery that was replayed many times.`,
    }),
  }),
);

const exampleDelivery = {
  event_id: EXAMPLE_EVENT_ID,
  event_type: 'message.delivered',
  recorded_at: '2026-11-02T10:00:02.000Z',
  status: 'delivered',
  next_attempt_at: null,
  settled_at: '2026-11-02T10:00:02.417Z',
  attempts: [{ at: '2026-11-02T10:00:02.417Z', http_status: 204, failure: null, latency_ms: 38, answer: '' }],
};

export const listDeliveriesSchema = {
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description:
    'Waiting deliveries first, then settled ones, each newest first. A page may be short or empty although more ' +
    'follow: continue while `next` is not null.',
  tags: TAGS,
  params: endpointParams,
  querystring: Type.Object({
    status: Type.Optional(Type.String({ description: '`pending`, `delivered` or `failed`.' })),
    type: Type.Optional(Type.String({ description: 'Event types, separated by commas.' })),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Of events recorded in that second or later.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Of events recorded before; of a second begun, all are.' }),
    ),
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_MAX, default: 50 })),
  }),
  response: {
    ...ofEndpoint,
    200: Type.Object(
      { data: Type.Array(delivery), next },
      { description: 'One page.', examples: [{ data: [exampleDelivery], next: null }] },
    ),
  },
};

export const replaySchema = {
  operationId: 'replayWebhook',
  summary: 'Deliver past events again',
  description:
    'Delivers one event, a range of time, or all failed events again. The count of attempts starts again; the ' +
    '`webhook-id` stays the same.',
  tags: TAGS,
  params: endpointParams,
  body: replayBody,
  response: {
    ...ofEndpoint,
    202: Type.Object(
      {
        queued: Type.Integer({ description: 'Number of deliveries queued, without those that waited already.' }),
        next: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
          description: 'The body of the next call, if one call was not enough.',
        }),
      },
      { description: 'They are on their way.', examples: [{ queued: 17, next: null }] },
    ),
  },
};
