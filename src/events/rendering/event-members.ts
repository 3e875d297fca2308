import { Type } from 'typebox';

export const text = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { examples: [example] }) });
export const nullable = (description: string, example: string | null = null) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] });
export const open = { additionalProperties: true };

const WAMID = 'wamid.HBgLMTIwMjU1NTAxMjMVAgARGBI5QTNDQTVCM0Q0';
export const CONVERSATION = '0f0c6a52-8f8e-5b0e-9c1d-6a4f1b2c3d4e';

/** Members of every message event; `status` and `origin` are those of the example. */
export function messageMembers(status: string, origin = 'api') {
  const isInbound = status === 'received';
  const [ours, theirs] = ['12025550100', '12025550123'];
  return {
    id: Type.String({
      format: 'uuid',
      description: "The message's id, as in the answer to the send.",
      examples: ['0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'],
    }),
    sequence: Type.Integer({
      minimum: 1,
      description:
        'Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` ' +
        'before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final.',
      examples: [{ queued: 1, sent: 2, delivered: 3, read: 4, failed: 2 }[status] ?? 1],
    }),
    status: text('`queued`, `sent`, `delivered`, `read`, `failed` or `received`.', status),
    direction: Type.Union([Type.Literal('outbound'), Type.Literal('inbound')], {
      examples: [isInbound ? 'inbound' : 'outbound'],
    }),
    origin: text(
      '`api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the ' +
        'WhatsApp Business app.',
      origin,
    ),
    message_id: nullable("The platform's own id; null until it is known.", status === 'queued' ? null : WAMID),
    account_id: nullable('The sending number record, a UUID.', '0199a1c2-33d4-7e5f-8a9b-0c1d2e3f4a5b'),
    phone_number_id: nullable("The platform's id of your number.", '100000000000002'),
    waba_id: nullable('The business account.', '100000000000001'),
    conversation_id: nullable('Stable for your number and the person, or the group.', CONVERSATION),
    message_type: text('`text`, `template`, `image` …', isInbound ? 'text' : 'template'),
    recipient_phone: nullable('Digits.', isInbound ? ours : theirs),
    sender_phone: nullable('Digits.', isInbound ? theirs : ours),
    user_id: nullable("The person's user id, once it is known.", 'US.13491208655302741918'),
  };
}

export const outboundMembers = {
  template_name: Type.Optional(text('Templates only.', 'order_update')),
  template_language: Type.Optional(text('Templates only.', 'en_US')),
  conversation_category: nullable('As known at the time of the event.', 'utility'),
  pricing_type: nullable('As known at the time of the event.', 'regular'),
  biz_opaque_callback_data: Type.Optional(text('The text that the send carried, unchanged.', 'order 1042')),
};

/** Members of outbound messages that the gateway did not send. */
export const reportedMembers = {
  field: Type.Optional(text('For a message that the gateway did not send: the webhook field that reported it.')),
  value: Type.Optional(
    Type.Object({}, { ...open, description: "With `field`: the members of that field's value, word for word." }),
  ),
};

export const accountMembers = {
  waba_id: Type.Optional(text('The business account.', '100000000000001')),
  phone_number_id: Type.Optional(text('The number concerned, if the event is about a number.', '100000000000002')),
};

export const templateMembers = {
  waba_id: accountMembers.waba_id,
  phone_number_id: Type.Optional(text('The number concerned, if the event is about a number.')),
  template_id: text("The platform's id of the template.", '594425479261596'),
  name: Type.Optional(text('Absent if the platform named the template by its id alone.', 'order_update')),
  language: Type.Optional(text('Absent if `name` is.', 'en_US')),
};

/** The changed fields of a number or account; only those that the change is about. `event` is the one of the example. */
export const changeMembers = (event: string) => ({
  event: nullable(
    "The platform's word for the change; `NAME_UPDATE`, `REVIEW_UPDATE` or `CAPABILITY_UPDATE` if it has none.",
    event,
  ),
  phone_number: Type.Optional(text('Digits of the number concerned, if the event is about a number.')),
  decision: Type.Optional(nullable('The result of a review, of the account or of a name: `APPROVED`, `REJECTED` …')),
  messaging_limit: Type.Optional(
    nullable('The limit from now on, a tier or a number of people a day; null if the platform names none.'),
  ),
  numbers_max: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'Highest number of phone numbers of the account; null if the platform names none.',
    }),
  ),
});

/** A webhook field of the platform as reported; `field` and `value` are those of the example. */
export const upstreamMembers = (field: string, value: object) => ({
  field: Type.Optional(text("The platform's webhook field.", field)),
  value: Type.Optional(
    Type.Object({}, { ...open, description: "That field's value, word for word.", examples: [value] }),
  ),
});

export const endpointMembers = {
  webhook_id: Type.String({
    format: 'uuid',
    description: 'The endpoint concerned.',
    examples: ['0199b3f0-1c2d-7e4f-8a5b-6c7d8e9f0a1b'],
  }),
  url: text('Its address.', 'https://hooks.example.com/fairway'),
};

export const PAYMENT = {
  id: WAMID,
  type: 'payment',
  status: 'captured',
  timestamp: '1793613603',
  payment: { reference_id: 'order-1042' },
};
export const INBOUND = {
  from: '12025550123',
  id: WAMID,
  timestamp: '1793613603',
  type: 'text',
  text: { body: 'Is it on its way?' },
};
export const ECHO = {
  from: '12025550100',
  to: '12025550123',
  id: WAMID,
  timestamp: '1793613603',
  type: 'text',
  text: { body: 'Yes' },
};
