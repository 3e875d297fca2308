import { Type } from 'typebox';
import { commonErrors, errorSchema, NO_NUL, NUMERIC_ID, named, PHONE_NUMBER } from '../http/index.ts';

const stored = (description: string) => Type.Optional(Type.String({ pattern: NO_NUL, description }));
const time = (description: string) => Type.Optional(Type.String({ description }));

/** Which messages; all that is named has to hold. What is not known is refused: it was meant to narrow. */
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
          description:
            "Messages to this person: the number's digits. Mobile numbers of Brazil, Mexico and Argentina have two spellings: either stands for " +
            'both, unlike in `GET /v1/messages`, which compares digits exactly.',
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
      description: 'When there was more than one call does: the body to go on with.',
    }),
  },
  {
    description:
      'Durable. Each becomes `failed` with `CANCELLED`, and `message.failed` is told, within seconds; one that is on its way at this very ' +
      'moment may still become `sent`.',
    examples: [{ cancelled: 1999, next: null }],
  },
);

export const cancelMessagesSchema = {
  operationId: 'cancelMessages',
  summary: 'Cancel messages that wait',
  description:
    'What waits in the queue and is all that the body says is not sent. A message whose outcome nobody knows yet is left alone: it may have ' +
    'been sent.',
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
  summary: 'Cancel one message that waits',
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: {
    ...commonErrors,
    202: cancelledAnswer,
    400: errorSchema('The id is not a UUID.', 'INVALID_ID'),
    404: errorSchema('No message with this id in the organization.', 'NOT_FOUND'),
    409: errorSchema('It does not wait any more, or nobody knows yet whether it was sent.', 'CONFLICT'),
  },
};
