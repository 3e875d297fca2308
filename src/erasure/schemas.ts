import { Type } from 'typebox';
import { commonErrors, errorSchema, named, nullableText, nullableTime } from '../http/index.ts';
import { optOutSchema } from '../opt-outs/index.ts';

const TAGS = ['People'];
const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const anyObject = Type.Object({}, { additionalProperties: true });

const errors = {
  ...commonErrors,
  400: errorSchema(
    'The person is neither a phone number nor a user id, or a parameter is invalid.',
    'VALIDATION_ERROR',
  ),
};
const person = Type.Object({
  person: Type.String({ description: 'A phone number with country code in any spelling, or a user id.' }),
});

const receipt = named(
  'ErasureReceipt',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      status: Type.Enum(['running']),
      requested_at: Type.String({ format: 'date-time' }),
    },
    {
      description: 'The receipt.',
      examples: [{ id: EXAMPLE_ID, status: 'running', requested_at: '2026-08-01T09:30:00.000Z' }],
    },
  ),
);

const erasure = named(
  'Erasure',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      status: Type.Enum(['waiting', 'running', 'done'], {
        description:
          '`waiting` for messages to the person that are being sent, and for webhooks that are being applied.',
      }),
      messages: Type.Integer({ description: 'Messages erased.' }),
      events: Type.Integer({ description: 'Events deleted.' }),
      payloads: Type.Integer({ description: 'Stored webhooks of the platform deleted.' }),
      requested_at: Type.String({ format: 'date-time' }),
      finished_at: nullableTime,
    },
    {
      description: 'The erasure. It does not name the person.',
      examples: [
        {
          id: EXAMPLE_ID,
          status: 'done',
          messages: 12,
          events: 40,
          payloads: 31,
          requested_at: '2026-08-01T09:30:00.000Z',
          finished_at: '2026-08-01T09:30:02.000Z',
        },
      ],
    },
  ),
);

const data = named(
  'PersonData',
  Type.Object(
    {
      phone_numbers: Type.Array(Type.String(), { description: 'Phone numbers in every spelling, digits.' }),
      user_ids: Type.Array(Type.String()),
      windows: Type.Array(
        Type.Object({
          phone_number_id: nullableText,
          last_inbound_at: Type.String({ format: 'date-time' }),
          contact: Type.Union([anyObject, Type.Null()], {
            description: "The person's contact object as the platform reported it last.",
          }),
        }),
      ),
      opt_outs: Type.Array(optOutSchema, { description: 'Opt-outs in force.' }),
      messages: Type.Array(anyObject, { description: 'Messages as `GET /v1/messages` lists them, newest first.' }),
      next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
    },
    {
      description: 'One page of the stored data.',
      examples: [{ phone_numbers: ['12025550123'], user_ids: [], windows: [], opt_outs: [], messages: [], next: null }],
    },
  ),
);

export const erasePersonSchema = {
  operationId: 'erasePerson',
  summary: "Erase a person's data",
  description:
    'Contents and identifiers of the person are removed from messages, events, deliveries, stored webhooks, windows and names, with all ' +
    'numbers of the organization. Waiting messages to the person are cancelled. Counts and prices stay. The person may be unknown. A ' +
    'message or status that comes later is stored as that of a stranger.',
  tags: TAGS,
  params: person,
  response: { 202: receipt, ...errors },
};

export const getErasureSchema = {
  operationId: 'getErasure',
  summary: 'Read the receipt of an erasure',
  description: 'Shows if the erasure is done, and how much it has erased.',
  tags: TAGS,
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  response: { 200: erasure, ...commonErrors, 404: errorSchema('No such erasure.', 'NOT_FOUND') },
};

export const exportPersonSchema = {
  operationId: 'exportPerson',
  summary: "Export a person's data",
  description: 'Everything that is stored about the person with all numbers of the organization, in pages of messages.',
  tags: TAGS,
  params: person,
  querystring: Type.Object({ after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })) }),
  response: { 200: data, ...errors },
};
