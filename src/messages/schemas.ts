import { Type } from 'typebox';
import { MESSAGE_TYPES } from '../core/message-types.ts';
import { commonErrors, errorSchema, nullableText, nullableTime } from '../http/index.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';

const SEND_EXAMPLES = [
  { messaging_product: 'whatsapp', to: '+15551230001', type: 'text', text: { body: 'Your parcel has arrived.' } },
  {
    messaging_product: 'whatsapp',
    to: '+15551230001',
    type: 'template',
    template: {
      name: 'order_update',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1042' }] }],
    },
  },
];

const sendBody = Type.Object(
  {
    messaging_product: Type.Optional(Type.Literal('whatsapp', { description: 'Put in when absent.' })),
    recipient_type: Type.Optional(Type.Literal('individual')),
    to: Type.String({ description: 'The recipient with a leading `+` and country code.' }),
    type: Type.Union(MESSAGE_TYPES.map((type) => Type.Literal(type))),
    context: Type.Optional(Type.Object({ message_id: Type.String() })),
    biz_opaque_callback_data: Type.Optional(
      Type.String({
        description:
          'Returned on delivery webhooks, up to 4,096 characters; the upstream refuses longer ones than 512.',
      }),
    ),
  },
  {
    additionalProperties: true,
    description:
      "The upstream platform's own message body, with the object named by `type`. Forwarded as sent, byte for byte.",
  },
);

const readBody = Type.Object(
  {
    messaging_product: Type.Optional(Type.Literal('whatsapp')),
    status: Type.Literal('read'),
    message_id: Type.String({ description: "The upstream's id of the inbound message." }),
    typing_indicator: Type.Optional(Type.Object({ type: Type.Literal('text') })),
  },
  { description: 'Mark as read, with or without a typing indicator. Sent directly, not queued.' },
);

const replayHeaders = {
  headers: {
    'Idempotent-Replayed': Type.Optional(
      Type.Literal('true', { description: 'There when this is the message of an earlier request with the same key.' }),
    ),
  },
};

const contacts = Type.Array(Type.Object({ input: Type.String(), wa_id: Type.String() }));

const queuedAnswer = Type.Object(
  {
    messaging_product: Type.Literal('whatsapp'),
    contacts,
    messages: Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), message_status: Type.Literal('queued') })),
  },
  {
    description: 'Accepted and durable; poll `GET /v1/messages/{id}`.',
    ...replayHeaders,
    examples: [
      {
        messaging_product: 'whatsapp',
        contacts: [{ input: '+15551230001', wa_id: '15551230001' }],
        messages: [{ id: EXAMPLE_ID, message_status: 'queued' }],
      },
    ],
  },
);

const sentAnswer = Type.Union(
  [
    Type.Object({
      messaging_product: Type.Literal('whatsapp'),
      contacts,
      messages: Type.Array(
        Type.Object({
          id: Type.String({ format: 'uuid' }),
          message_status: Type.Literal('sent'),
          wamid: Type.String(),
          upstream_status: Type.Optional(
            Type.String({
              description:
                "The upstream's own word in its answer, where that is another than `accepted`: with `held_for_quality_assessment` or " +
                '`paused` it holds the message back, and may drop it yet.',
            }),
          ),
        }),
      ),
    }),
    Type.Object({ success: Type.Literal(true) }),
  ],
  {
    description: 'With `sync=true`: the upstream accepted the message in time. Or: marked as read.',
    ...replayHeaders,
    examples: [
      {
        messaging_product: 'whatsapp',
        contacts: [{ input: '+15551230001', wa_id: '15551230001' }],
        messages: [{ id: EXAMPLE_ID, message_status: 'sent', wamid: 'wamid.HBgLMTU1NTEyMzAwMDEVAgARGBI5QTNDQTVCM0Q0' }],
      },
    ],
  },
);

const refused = errorSchema(
  'The upstream refused, or the key was used with another body.',
  'SEND_FAILED',
  'IDEMPOTENCY_KEY_REUSED',
);
const refusedAnswer = {
  ...refused,
  ...replayHeaders,
  properties: {
    ...refused.properties,
    messages: Type.Optional(
      Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), message_status: Type.Literal('failed') }), {
        description: 'With `sync=true`: the message the upstream refused, for `GET /v1/messages/{id}`.',
      }),
    ),
  },
};

export const sendMessageSchema = {
  operationId: 'sendMessage',
  summary: 'Send a message, or mark one as read',
  description:
    'Accepts a message onto the send queue. Types other than `template` need an open 24-hour window; a template must be ' +
    'APPROVED. Before the id, any Graph version (`/v24.0`) serves as well as `/v1`, and `PUT` as well as `POST` to mark as read.',
  tags: ['Messages'],
  params: Type.Object({ phoneNumberId: Type.String({ description: 'The numeric ID of the sending number.' }) }),
  querystring: Type.Object({
    sync: Type.Optional(
      Type.Boolean({ description: 'Wait up to 10 seconds for the upstream to accept.', default: false }),
    ),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        description: '1 to 255 printable ASCII characters, kept 7 days. A retry answers with the original message.',
      }),
    ),
  }),
  body: Type.Union([sendBody, readBody], {
    examples: [
      ...SEND_EXAMPLES,
      { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgASGBQzQTA' },
    ],
  }),
  response: {
    ...commonErrors,
    200: sentAnswer,
    202: queuedAnswer,
    400: errorSchema('The body is invalid, or a language is needed.', 'VALIDATION_ERROR', 'TEMPLATE_LANGUAGE_REQUIRED'),
    403: errorSchema(
      'Window, template or plan do not allow this send.',
      'OUTSIDE_24H_WINDOW',
      'TEMPLATE_NOT_APPROVED',
      'PLAN_INACTIVE',
      'PLAN_MESSAGE_LIMIT_REACHED',
      'PLAN_TYPE_NOT_INCLUDED',
      'PLAN_BUDGET_EXCEEDED',
    ),
    404: errorSchema(
      'No such number or template.',
      'ACCOUNT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
      'TEMPLATE_LANGUAGE_NOT_FOUND',
    ),
    409: errorSchema('The number has not completed phone registration.', 'ACCOUNT_NOT_REGISTERED'),
    413: errorSchema('The body is larger than 1 MiB.', 'PAYLOAD_TOO_LARGE'),
    422: refusedAnswer,
    429: errorSchema('Too many requests, or too much queued; see `Retry-After`.', 'RATE_LIMITED', 'QUEUE_FULL'),
  },
};

export const EXAMPLE_MESSAGE = {
  id: EXAMPLE_ID,
  account_id: '0199c0de-0000-7000-8000-000000000001',
  message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgARGBI5QTNDQTVCM0Q0',
  conversation_id: '5b0c0f5e-0b0e-4a3d-8f59-0d4a1c6f7e21',
  direction: 'outbound',
  message_type: 'template',
  recipient_phone: '15551230001',
  sender_phone: '15550001111',
  template_name: 'order_update',
  content: { template_name: 'order_update', language: 'en_US', to: '+15551230001' },
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1042' }] }],
  status: 'delivered',
  upstream_status: null,
  conversation_category: 'utility',
  pricing_type: 'regular',
  sent_at: '2026-11-02T10:00:00.000Z',
  delivered_at: '2026-11-02T10:00:02.000Z',
  read_at: null,
  created_at: '2026-11-02T09:59:59.912Z',
};

/** The message object of spec 2.1. */
export const messageObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    account_id: Type.String({ format: 'uuid' }),
    message_id: Type.Union([Type.String(), Type.Null()], { description: "The upstream's own id." }),
    conversation_id: Type.String({ description: 'Stable for our number and the person.' }),
    direction: Type.Union([Type.Literal('outbound'), Type.Literal('inbound')]),
    message_type: Type.String(),
    recipient_phone: nullableText,
    sender_phone: nullableText,
    template_name: Type.Optional(Type.String()),
    content: Type.Object({}, { additionalProperties: true }),
    components: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    status: Type.String({
      description: '`queued`, `sent`, `delivered`, `read`, `failed`; `received` for inbound messages.',
    }),
    upstream_status: Type.Union([Type.String(), Type.Null()], {
      description:
        "While `status` is `sent`: the upstream's own word in its answer to the send. With `held_for_quality_assessment` or `paused` it " +
        'holds the message back, and delivers it later or drops it (`failed` with 132015). Other words may come. Null if it gave none, and ' +
        'once it tells a status.',
    }),
    conversation_category: nullableText,
    pricing_type: nullableText,
    sent_at: nullableTime,
    delivered_at: nullableTime,
    read_at: nullableTime,
    created_at: Type.String({ format: 'date-time' }),
    error_code: Type.Optional(Type.String()),
    error_message: Type.Optional(Type.String()),
  },
  {
    description: 'The message.',
    examples: [EXAMPLE_MESSAGE],
  },
);

export const getMessageSchema = {
  operationId: 'getMessage',
  summary: 'Read a message and its status',
  description: 'Poll every few seconds at first, then back off; stop at `read` or `failed`.',
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: {
    ...commonErrors,
    200: messageObject,
    400: errorSchema('The id is not a UUID.', 'INVALID_ID'),
    404: errorSchema('No message with this id in the organization.', 'NOT_FOUND'),
    500: errorSchema('A temporary error. Try again.', 'FETCH_FAILED'),
  },
};
