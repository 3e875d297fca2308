import { Type } from 'typebox';
import { commonErrors, errorSchema, named } from '../http/index.ts';
import { EVENT_TYPES } from './event-types.ts';

/** Maximum time that a request may wait for an event, in seconds: below the idle limits of common proxies. */
export const WAIT_SECONDS_MAX = 30;

const EXAMPLE = {
  id: 'evt_0199c0de7a3b7c1d9e5f2b8a4d6c1e300003',
  type: 'message.delivered',
  timestamp: '2026-11-02T10:00:02.000Z',
  data: {
    id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    sequence: 3,
    status: 'delivered',
    direction: 'outbound',
    message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgARGBI5QTNDQTVCM0Q0',
    account_id: '0199c0de-0000-7000-8000-000000000001',
    phone_number_id: '800000000000001',
    waba_id: '700000000000001',
    conversation_id: '5b0c0f5e-0b0e-4a3d-8f59-0d4a1c6f7e21',
    message_type: 'template',
    recipient_phone: '15551230001',
    sender_phone: '15550001111',
    user_id: 'US.13491208655302741918',
    template_name: 'order_update',
    template_language: 'en_US',
    conversation_category: 'utility',
    pricing_type: 'regular',
    biz_opaque_callback_data: 'order=A-1042',
  },
};

export const listEventsSchema = {
  operationId: 'listEvents',
  summary: 'Read events in order, or wait for the next',
  description:
    'Lists the events that webhooks deliver, for 30 days, in an order in which no event can appear before a ' +
    'place already read. Continue with `next` as `after`, also after an empty answer. Events of one message come ' +
    'in the order of their `sequence`. Their payloads in the format `standard` are described under `webhooks`.',
  tags: ['Events'],
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        description: '`next` of an earlier answer; `now` for events from now on; absent for all stored events.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_SECONDS_MAX,
        default: 0,
        description: 'Seconds to wait for an event when there is none.',
      }),
    ),
    type: Type.Optional(Type.String({ description: `Types to show, separated by commas: ${EVENT_TYPES.join(', ')}.` })),
    number: Type.Optional(Type.String({ description: 'Only events of this number: its numeric ID.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
    format: Type.Optional(
      Type.Enum(['standard', 'cloud_api'], {
        default: 'standard',
        description:
          "`cloud_api`: `data` is the platform's own payload, as an endpoint in this format gets it. Events without one are left out.",
      }),
    ),
    message_ids: Type.Optional(
      Type.Enum(['upstream', 'gateway'], {
        default: 'upstream',
        description: 'Ids of sent messages in the format `cloud_api`, as for an endpoint.',
      }),
    ),
    phone_numbers: Type.Optional(
      Type.Enum(['upstream', 'e164'], {
        default: 'upstream',
        description: "Notation of people's numbers in the format `cloud_api`, as for an endpoint.",
      }),
    ),
  }),
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(
          named(
            'Event',
            Type.Object(
              {
                id: Type.String({ description: 'Same as the header `webhook-id` of its deliveries.' }),
                type: Type.String(),
                timestamp: Type.String({ format: 'date-time' }),
                data: Type.Object({}, { additionalProperties: true }),
              },
              { description: 'An event.' },
            ),
          ),
        ),
        next: Type.String({ description: 'The `after` of the next call.' }),
      },
      {
        description: 'The next events. With filters there may be more although there are fewer than `limit`, or none.',
        examples: [{ data: [EXAMPLE], next: 'AQAAAAAAAAQSAZnA3no7fB2eXyuKTWweMAADaQcqgoZ0Hs4' }],
      },
    ),
    400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR'),
    404: errorSchema('No number with this ID in the organization.', 'ACCOUNT_NOT_FOUND'),
  },
};
