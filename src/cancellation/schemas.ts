import { Type } from 'typebox';
import { USER_ID_PATTERN } from '../core/ids.ts';
import { commonErrors, errorSchema, NO_NUL, NUMERIC_ID, named, PHONE_NUMBER } from '../http/index.ts';

const stored = (description: string) => Type.Optional(Type.String({ pattern: NO_NUL, description }));
const time = (description: string) => Type.Optional(Type.String({ description }));

/** Selects messages; all given members must match. Unknown members are refused, because they were meant to narrow the selection. */
export const cancelBody = named(
  'CancelRequest',
  Type.Object(
    {
      number: Type.Optional(
        Type.String({ pattern: NUMERIC_ID, description: 'Messages from this number: its numeric ID.' }),
      ),
      recipient: Type.Optional(
        Type.String({
          pattern: PHONE_NUMBER,
          description: "Messages to this person, however addressed: the number's digits in any spelling.",
        }),
      ),
      user_id: Type.Optional(
        Type.String({
          pattern: USER_ID_PATTERN,
          description: 'Messages to the person with this user id, however addressed.',
        }),
      ),
      type: stored('`text`, `template`, `image` …'),
      template: stored('Messages of the template with this name.'),
      biz_opaque_callback_data: stored('Messages sent with exactly this.'),
      from: time('Accepted at this moment or later, ISO 8601.'),
      to: time('Accepted before this moment, ISO 8601.'),
      after: Type.Optional(Type.String({ description: 'As an earlier answer gave it.' })),
    },
    { additionalProperties: false, examples: [{ template: 'spring_sale', from: '2026-11-02T10:00:00Z' }] },
  ),
);

const cancelledAnswer = Type.Object(
  {
    cancelled: Type.Integer({ description: 'Messages that are not going to be sent.' }),
    next: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
      description: 'The body of the next call, if one call was not enough.',
    }),
  },
  {
    description:
      'Durable. Within seconds each message becomes `failed` with `CANCELLED`, with a `message.failed` event. A message that is in flight ' +
      'at this moment may still become `sent`.',
    examples: [{ cancelled: 1999, next: null }],
  },
);

export const cancelMessagesSchema = {
  operationId: 'cancelMessages',
  summary: 'Cancel waiting messages',
  description:
    'Cancels the waiting messages that match all members of the body. A message with an unknown outcome is not ' +
    'cancelled, because it may have been sent.',
  tags: ['Messages'],
  body: cancelBody,
  response: {
    ...commonErrors,
    202: cancelledAnswer,
    400: errorSchema('The body is invalid, or names nothing.', 'VALIDATION_ERROR'),
    404: errorSchema('No number with this ID in the organization.', 'ACCOUNT_NOT_FOUND'),
  },
};

export const cancelMessageSchema = {
  operationId: 'cancelMessage',
  summary: 'Cancel one waiting message',
  description: 'A message that is being sent, or whose outcome is unknown, is not cancelled: the answer is 409.',
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: {
    ...commonErrors,
    202: cancelledAnswer,
    400: errorSchema('The id is not a UUID.', 'INVALID_ID'),
    404: errorSchema('No message with this id in the organization.', 'NOT_FOUND'),
    409: errorSchema('It does not wait any more, or it is not known yet if it was sent.', 'CONFLICT'),
  },
};
