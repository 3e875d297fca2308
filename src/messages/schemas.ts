import { Type } from 'typebox';
import { commonErrors, errorSchema, named } from '../http/index.ts';
import { EXAMPLE_ID } from './lookup/message-schemas.ts';
import { EITHER_ID, marketingBody, sendBody } from './send-body-schemas.ts';

const readBody = named(
  'MarkAsReadRequest',
  Type.Object(
    {
      messaging_product: Type.Optional(Type.Literal('whatsapp')),
      status: Type.Literal('read'),
      message_id: Type.String({ description: `The inbound message: ${EITHER_ID}` }),
      typing_indicator: Type.Optional(Type.Object({ type: Type.Literal('text') })),
    },
    {
      description: 'Mark as read, with or without a typing indicator. Sent directly, not queued.',
      examples: [
        { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgASGBQzQTA' },
      ],
    },
  ),
);

const replayHeaders = {
  headers: {
    'Idempotent-Replayed': Type.Optional(
      Type.Literal('true', { description: 'Present if this is the message of an earlier request with the same key.' }),
    ),
  },
};

const contacts = Type.Array(
  Type.Object({
    input: Type.String(),
    wa_id: Type.Optional(Type.String({ description: 'Of a message to a phone number.' })),
    user_id: Type.Optional(Type.String({ description: 'Of a message to a user id.' })),
  }),
);

const queuedAnswer = named(
  'SendAnswer',
  Type.Object(
    {
      messaging_product: Type.Literal('whatsapp'),
      contacts,
      messages: Type.Array(
        Type.Object({ id: Type.String({ format: 'uuid' }), message_status: Type.Literal('queued') }),
      ),
    },
    {
      description: 'Stored durably; poll `GET /v1/messages/{id}`.',
      ...replayHeaders,
      examples: [
        {
          messaging_product: 'whatsapp',
          contacts: [{ input: '+15551230001', wa_id: '15551230001' }],
          messages: [{ id: EXAMPLE_ID, message_status: 'queued' }],
        },
      ],
    },
  ),
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
                "The platform's own word in its answer, unless it is `accepted`. With `held_for_quality_assessment` or " +
                '`paused` the platform holds the message back, and may still drop it.',
            }),
          ),
        }),
      ),
    }),
    Type.Object({ success: Type.Literal(true) }),
  ],
  {
    description: 'With `sync=true`: the platform accepted the message in time. Or: the message is marked as read.',
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
  'The platform refused, or the key was used with another body.',
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
        description: 'With `sync=true`: the message that the platform refused, for `GET /v1/messages/{id}`.',
      }),
    ),
  },
};

const CONFLICTS = errorSchema(
  'The number has not completed phone registration, or the body refers to a message without an id of the ' +
    'platform.',
  'ACCOUNT_NOT_REGISTERED',
  'CONFLICT',
);

export const sendMessageSchema = {
  operationId: 'sendMessage',
  summary: 'Send a message',
  description:
    'Accepts a message onto the send queue. Types other than `template` need an open 24-hour window; a template ' +
    'must be `APPROVED`. The header `Idempotency-Key`, 1 to 255 printable ASCII characters, makes a retry safe ' +
    'for 7 days: it answers with the original message. Any Graph version (`/v24.0`) in place of `/v1` works as ' +
    'well. This path also accepts the body of `markAsRead`.',
  tags: ['Messages'],
  params: Type.Object({ phoneNumberId: Type.String({ description: 'The numeric ID of the sending number.' }) }),
  querystring: Type.Object({
    sync: Type.Optional(
      Type.Boolean({ description: 'Waits up to 10 seconds for the platform to accept the message.', default: false }),
    ),
  }),
  body: sendBody,
  response: {
    ...commonErrors,
    200: sentAnswer,
    202: queuedAnswer,
    400: errorSchema('The body is invalid, or a language is needed.', 'VALIDATION_ERROR', 'TEMPLATE_LANGUAGE_REQUIRED'),
    403: errorSchema(
      'Window, template, plan or the limits of the API key do not allow this send.',
      'OUTSIDE_24H_WINDOW',
      'RECIPIENT_OPTED_OUT',
      'TEMPLATE_NOT_APPROVED',
      'PLAN_INACTIVE',
      'PLAN_MESSAGE_LIMIT_REACHED',
      'PLAN_TYPE_NOT_INCLUDED',
      'PLAN_BUDGET_EXCEEDED',
      'FORBIDDEN',
    ),
    404: errorSchema(
      'No such number or template.',
      'ACCOUNT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
      'TEMPLATE_LANGUAGE_NOT_FOUND',
    ),
    409: CONFLICTS,
    413: errorSchema('The body is larger than 1 MiB.', 'PAYLOAD_TOO_LARGE'),
    422: refusedAnswer,
    429: errorSchema('Too many requests, or too much queued; see `Retry-After`.', 'RATE_LIMITED', 'QUEUE_FULL'),
  },
};

export const sendMarketingMessageSchema = {
  ...sendMessageSchema,
  operationId: 'sendMarketingMessage',
  summary: 'Send a marketing template to the marketing product',
  description:
    "Accepts a message onto the send queue as `sendMessage` does, and posts it to the platform's `/marketing_messages`, " +
    'whatever the setting `marketing_messages` says. `sendMessage` chooses by that setting. Takes templates of the ' +
    'category MARKETING only.',
  body: marketingBody,
};

export const markAsReadSchema = {
  operationId: 'markAsRead',
  summary: 'Mark a message as read',
  description: 'With or without a typing indicator. It is sent to the platform directly, not queued.',
  tags: ['Messages'],
  params: sendMessageSchema.params,
  body: readBody,
  response: {
    ...commonErrors,
    200: Type.Object(
      { success: Type.Literal(true) },
      { description: 'The platform accepted it.', examples: [{ success: true }] },
    ),
    400: errorSchema('The body is invalid.', 'VALIDATION_ERROR'),
    404: errorSchema('No such number.', 'ACCOUNT_NOT_FOUND'),
    409: CONFLICTS,
    422: errorSchema('The platform refused.', 'SEND_FAILED'),
  },
};
