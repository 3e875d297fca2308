import { Type } from 'typebox';
import { commonErrors, errorSchema, NUMERIC_ID, named, nullableText } from '../http/index.ts';
import { OPT_OUT_SOURCES } from './opt-out.ts';

export const OPT_OUTS_PER_PAGE_MAX = 200;
const TAGS = ['Opt-outs'];

const EXAMPLE = {
  id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  phone_number_id: '100000000000002',
  person: '12025550123',
  user_id: null,
  source: 'api',
  opted_out_at: '2026-11-02T10:00:00.000Z',
};

export const optOut = named(
  'OptOut',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      phone_number_id: Type.String({ description: 'The number that may send no marketing to the person.' }),
      person: Type.Union([Type.String(), Type.Null()], {
        description: "Digits of the person's phone number; null if only the user id is known.",
      }),
      user_id: nullableText,
      source: Type.Enum([...OPT_OUT_SOURCES], {
        description:
          '`api`: added by a call; `platform`: the person stopped marketing in WhatsApp; `keyword`: the person wrote a stop word.',
      }),
      opted_out_at: Type.String({ format: 'date-time' }),
    },
    { description: 'The opt-out.', examples: [EXAMPLE] },
  ),
);

export const optOutBody = named(
  'OptOutRequest',
  Type.Object(
    {
      phone_number_id: Type.String({ pattern: NUMERIC_ID, description: 'The numeric ID of the sending number.' }),
      person: Type.String({
        description: "The person's phone number with country code, with or without `+`, or the person's user id.",
      }),
    },
    {
      additionalProperties: false,
      description: 'The person and the number.',
      examples: [{ phone_number_id: '100000000000002', person: '+12025550123' }],
    },
  ),
);

export const listOptOutsSchema = {
  operationId: 'listOptOuts',
  summary: 'List opt-outs',
  description: 'People who want no marketing from a number, newest first.',
  tags: TAGS,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    number: Type.Optional(Type.String({ description: 'Opt-outs from this number: its numeric ID.' })),
    person: Type.Optional(
      Type.String({ description: 'Opt-outs of this person: a phone number in any spelling, or a user id.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: OPT_OUTS_PER_PAGE_MAX, default: 50 })),
  }),
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(optOut),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The `after` of the next page; null at the end.',
        }),
      },
      { description: 'One page.', examples: [{ data: [EXAMPLE], next: null }] },
    ),
    400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR'),
    404: errorSchema('No number with this ID in the organization.', 'ACCOUNT_NOT_FOUND'),
  },
};

export const addOptOutSchema = {
  operationId: 'addOptOut',
  summary: 'Opt a person out of marketing',
  description:
    'Marketing templates from the number to the person are refused from now on, and waiting ones fail with `RECIPIENT_OPTED_OUT`. A ' +
    'repeated call changes nothing.',
  tags: TAGS,
  body: optOutBody,
  response: {
    ...commonErrors,
    200: Type.Object(optOut.properties, { description: 'The person had opted out before.', examples: [EXAMPLE] }),
    201: optOut,
    400: errorSchema('The body is malformed.', 'VALIDATION_ERROR'),
    404: errorSchema('No number with this ID in the organization.', 'ACCOUNT_NOT_FOUND'),
  },
};

export const removeOptOutSchema = {
  operationId: 'removeOptOut',
  summary: 'End an opt-out',
  description:
    'Marketing templates are accepted again. If the person has stopped marketing in WhatsApp, the platform still refuses them until the ' +
    'person resumes it.',
  tags: TAGS,
  params: Type.Object({ id: Type.String({ description: 'The id of the opt-out.' }) }),
  response: {
    ...commonErrors,
    204: Type.Null({ description: 'Ended.' }),
    404: errorSchema('No such opt-out in force.', 'NOT_FOUND'),
  },
};
