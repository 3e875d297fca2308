import { Type } from 'typebox';
import { commonErrors, errorSchema } from '../../http/index.ts';
import { MESSAGES_PER_PAGE_MAX } from './message-filter.ts';
import { EXAMPLE_MESSAGE, messageObject } from './message-schemas.ts';

const optional = (description: string) => Type.Optional(Type.String({ description }));
const optionalTime = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

export const listMessagesSchema = {
  operationId: 'listMessages',
  summary: 'List messages',
  description:
    'Newest first, both directions. If few messages pass the filters, a page may be short or empty although more ' +
    'follow: continue while `next` is not null.',
  tags: ['Messages'],
  querystring: Type.Object({
    after: optional('`next` of an earlier answer.'),
    number: optional('Messages of this number: its numeric ID.'),
    recipient: optional(
      "Messages to or from this person: the number's digits in any spelling. Messages under the person's other names are found, too.",
    ),
    user_id: optional("Messages to or from the person with this user id, also those under the person's phone number."),
    status: optional('`queued`, `sent`, `delivered`, `read`, `failed` or `received`.'),
    type: optional('`text`, `template`, `image` …'),
    template: optional('Messages of the template with this name.'),
    direction: Type.Optional(Type.Union([Type.Literal('outbound'), Type.Literal('inbound')])),
    from: optionalTime('Accepted or received at this moment or later.'),
    to: optionalTime('Accepted or received before this moment.'),
    error_code: optional('Messages that failed with this code.'),
    message_id: optional('The message with this id of the platform (a wamid).'),
    biz_opaque_callback_data: optional('Messages sent with exactly this.'),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MESSAGES_PER_PAGE_MAX, default: 50 })),
  }),
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(messageObject),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The `cursor` of the next page; null at the end.',
        }),
      },
      {
        description: 'One page.',
        examples: [{ data: [EXAMPLE_MESSAGE], next: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30' }],
      },
    ),
    400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR'),
    404: errorSchema('No number with this ID in the organization.', 'ACCOUNT_NOT_FOUND'),
  },
};
