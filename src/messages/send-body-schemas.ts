import { type TSchema, Type } from 'typebox';
import { USER_ID_PATTERN } from '../core/ids.ts';
import { MESSAGE_TYPES, type MessageType } from '../core/message-types.ts';
import { RECIPIENT_PATTERN } from '../core/phone-number.ts';
import { named } from '../http/index.ts';

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
export const EITHER_ID =
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

/** The members of a send's body. */
const SEND_MEMBERS = {
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
      description: 'The user id of a recipient whose number you do not know. `to` comes first where both are given.',
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
};

export const sendBody = named(
  'SendRequest',
  Type.Object(SEND_MEMBERS, {
    ...open,
    description:
      "The platform's own message body, with the object that `type` names. Forwarded as sent, byte for byte, " +
      'except that ids of this API which name other messages are replaced.',
    examples: SEND_EXAMPLES,
  }),
);

export const marketingBody = named(
  'MarketingSendRequest',
  Type.Object(
    {
      messaging_product: SEND_MEMBERS.messaging_product,
      recipient_type: SEND_MEMBERS.recipient_type,
      to: SEND_MEMBERS.to,
      recipient: SEND_MEMBERS.recipient,
      type: Type.Literal('template'),
      template: TYPE_OBJECTS.template,
      product_policy: Type.Optional(
        Type.Enum(['CLOUD_API_FALLBACK', 'STRICT'], {
          description: 'With `STRICT` the platform delivers the message by its marketing product or not at all.',
        }),
      ),
      message_activity_sharing: Type.Optional(Type.Boolean()),
      biz_opaque_callback_data: SEND_MEMBERS.biz_opaque_callback_data,
    },
    {
      ...open,
      description: 'A template of the category MARKETING. Forwarded as sent, byte for byte.',
      examples: [
        {
          messaging_product: 'whatsapp',
          to: '+15551230001',
          type: 'template',
          template: { name: 'autumn_sale', language: { code: 'en_US' } },
          product_policy: 'STRICT',
        },
      ],
    },
  ),
);
