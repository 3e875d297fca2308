import { Type } from 'typebox';
import { commonErrors, errorSchema, named, nullableTime } from '../http/index.ts';

const windowObject = named(
  'Window',
  Type.Object(
    {
      open: Type.Boolean({ description: 'True if free-form messages can be sent now.' }),
      opened_by: Type.Union([Type.Literal('message'), Type.Literal('call'), Type.Null()], {
        description: 'The last act that opened or refreshed it; null while it is closed.',
      }),
      opened_at: nullableTime,
      expires_at: nullableTime,
    },
    {
      description: 'The window as it is now.',
      examples: [
        {
          open: true,
          opened_by: 'message',
          opened_at: '2026-11-02T10:00:00.000Z',
          expires_at: '2026-11-03T10:00:00.000Z',
        },
      ],
    },
  ),
);

export const getWindowSchema = {
  operationId: 'getWindow',
  summary: 'Read the 24-hour window of a person or a group',
  description:
    "A person's messages and calls open the window, as does a call of yours that the person accepts. A message " +
    "in a group opens the window of the group, not the member's own.",
  tags: ['Messages'],
  params: Type.Object({
    phoneNumberId: Type.String({ description: 'The numeric ID of the sending number.' }),
    person: Type.String({
      description:
        "The person's number with country code, with or without `+`, the person's user id, or the id of a group.",
    }),
  }),
  response: {
    ...commonErrors,
    200: windowObject,
    400: errorSchema(
      'The person is neither a phone number nor a user id, and no group has such an id.',
      'VALIDATION_ERROR',
    ),
    404: errorSchema('No such number.', 'ACCOUNT_NOT_FOUND'),
  },
};
