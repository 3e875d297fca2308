import { Type } from 'typebox';
import { MESSAGE_ORIGINS } from '../../core/message-origins.ts';
import { commonErrors, errorSchema, named, nullableText, nullableTime } from '../../http/index.ts';

export const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';

export const EXAMPLE_MESSAGE = {
  id: EXAMPLE_ID,
  account_id: '0199c0de-0000-7000-8000-000000000001',
  message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgARGBI5QTNDQTVCM0Q0',
  conversation_id: '5b0c0f5e-0b0e-4a3d-8f59-0d4a1c6f7e21',
  direction: 'outbound',
  origin: 'api',
  message_type: 'template',
  recipient_phone: '15551230001',
  sender_phone: '15550001111',
  user_id: 'US.13491208655302741918',
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

/** The message object of api-rules#message. */
export const messageObject = named(
  'Message',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      account_id: Type.String({ format: 'uuid' }),
      message_id: Type.Union([Type.String(), Type.Null()], { description: "The platform's own id." }),
      conversation_id: Type.String({ description: 'Stable for our number and the person, or the group.' }),
      direction: Type.Union([Type.Literal('outbound'), Type.Literal('inbound')]),
      origin: Type.Enum(MESSAGE_ORIGINS, {
        description:
          '`api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the ' +
          'WhatsApp Business app; `history`: handed over when the number was connected.',
      }),
      group_id: Type.Optional(Type.String({ description: 'The group that an inbound message was written in.' })),
      message_type: Type.String(),
      recipient_phone: nullableText,
      sender_phone: nullableText,
      user_id: Type.Union([Type.String(), Type.Null()], {
        description: "The person's user id, once it is known: sent to, written from, or reported with a status.",
      }),
      template_name: Type.Optional(Type.String()),
      content: Type.Object({}, { additionalProperties: true }),
      components: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
      status: Type.String({
        description: '`queued`, `sent`, `delivered`, `read`, `failed`; `received` for inbound messages.',
      }),
      upstream_status: Type.Union([Type.String(), Type.Null()], {
        description:
          "While `status` is `sent`: the platform's own word in its answer to the send. With " +
          '`held_for_quality_assessment` or `paused` it holds the message back, and delivers it later or drops it ' +
          '(`failed` with 132015). Other words are possible. Null if it gave none, and after it has reported a status.',
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
  ),
);

const onMessage = {
  ...commonErrors,
  400: errorSchema('The id is not a UUID.', 'INVALID_ID'),
  404: errorSchema('No message with this id in the organization.', 'NOT_FOUND'),
  500: errorSchema('A temporary error. Try again.', 'FETCH_FAILED'),
};

export const getMessageSchema = {
  operationId: 'getMessage',
  summary: 'Read a message and its status',
  description: 'Poll every few seconds at first, then back off. Stop at `read` or `failed`.',
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: { ...onMessage, 200: messageObject },
};

export const getMessageBodySchema = {
  operationId: 'getMessageBody',
  summary: 'Read the body of a message byte for byte',
  description:
    'The body as the gateway sends it to the platform: the bytes of your request, with the members that the gateway has completed, such as the ' +
    "template's language. For a message of a person, the platform's message object as it arrived. `{}` after an erasure, " +
    "and once the organization's retention is over; with `keep_bodies: until_sent`, a sent message keeps its recipient alone.",
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: {
    ...onMessage,
    200: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The stored bytes. For the role `support`, texts are masked.',
        examples: [
          {
            messaging_product: 'whatsapp',
            to: '+15551230001',
            type: 'template',
            template: { name: 'order_update', language: { code: 'en_US' } },
          },
        ],
      },
    ),
  },
};
