import { type TSchema, Type } from 'typebox';
import { MESSAGE_TYPES, type MessageType } from '../core/message-types.ts';
import { RECIPIENT_PATTERN } from '../core/phone-number.ts';
import { commonErrors, errorSchema, named } from '../http/index.ts';
import { USER_ID_PATTERN } from '../people/index.ts';
import { EXAMPLE_ID } from './lookup/message-schemas.ts';

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
  { messaging_product: 'whatsapp', recipient: 'US.13491208655302741918', type: 'text', text: { body: 'Hello!' } },
];

/** Describes the ids by which a body can name another message. */
const EITHER_ID =
  "The message to react to: the platform's id, or an id of this API, which is replaced by the platform's.";
const open = { additionalProperties: true };
const ofType = (description: string, members: Record<string, TSchema> = {}) =>
  Type.Optional(Type.Object(members, { ...open, description }));
const fileMembers = {
  id: Type.Optional(Type.String({ description: 'The id of an upload under the same number.' })),
  link: Type.Optional(Type.String({ format: 'uri' })),
  caption: Type.Optional(Type.String()),
};

/** The object of each message type. The upstream platform knows more members than these. */
const TYPE_OBJECTS: Record<MessageType, TSchema> = {
  text: ofType('For `text`.', { body: Type.String({ minLength: 1 }), preview_url: Type.Optional(Type.Boolean()) }),
  template: ofType('For `template`.', {
    name: Type.String({ minLength: 1 }),
    language: Type.Optional(Type.Object({ code: Type.String() }, open)),
    components: Type.Optional(Type.Array(Type.Object({}, open))),
  }),
  image: ofType('For `image`.', fileMembers),
  video: ofType('For `video`.', fileMembers),
  audio: ofType('For `audio`.', { id: fileMembers.id, link: fileMembers.link }),
  document: ofType('For `document`.', { ...fileMembers, filename: Type.Optional(Type.String()) }),
  sticker: ofType('For `sticker`.', { id: fileMembers.id, link: fileMembers.link }),
  location: ofType('For `location`.', {
    latitude: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    longitude: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    name: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
  }),
  contacts: Type.Optional(Type.Array(Type.Object({}, open), { minItems: 1, description: 'For `contacts`.' })),
  interactive: ofType('For `interactive`.', { type: Type.Optional(Type.String()) }),
  reaction: ofType('For `reaction`.', {
    message_id: Type.Optional(Type.String({ description: EITHER_ID })),
    emoji: Type.Optional(Type.String()),
  }),
};

const sendBody = named(
  'SendRequest',
  Type.Object(
    {
      messaging_product: Type.Optional(Type.Literal('whatsapp', { description: 'Added if absent.' })),
      recipient_type: Type.Optional(Type.Literal('individual')),
      to: Type.Optional(
        Type.String({
          pattern: RECIPIENT_PATTERN,
          description:
            'The recipient with a leading `+` and country code; spaces, hyphens, dots and parentheses may stand between digits. ' +
            'Required, unless `recipient` is given.',
        }),
      ),
      recipient: Type.Optional(
        Type.String({
          pattern: USER_ID_PATTERN,
          description:
            'The user id of a recipient whose number you do not know. `to` comes first where both are given.',
        }),
      ),
      type: Type.Enum(MESSAGE_TYPES, { description: 'Names the object that is sent.' }),
      ...TYPE_OBJECTS,
      context: Type.Optional(
        Type.Object({ message_id: Type.String({ description: `The message to answer: ${EITHER_ID}` }) }, open),
      ),
      biz_opaque_callback_data: Type.Optional(
        Type.String({
          description:
            'Returned with the events of the message. Up to 4,096 characters; the platform refuses more than 512.',
        }),
      ),
    },
    {
      ...open,
      description:
        "The platform's own message body, with the object that `type` names. Forwarded as sent, byte for byte, " +
        'except that ids of this API which name other messages are replaced.',
      examples: SEND_EXAMPLES,
    },
  ),
);

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
