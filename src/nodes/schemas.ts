import { Type } from 'typebox';
import { withPassedAnswers } from '../edges/index.ts';
import { commonErrors, errorSchema, named } from '../http/index.ts';
import { graphTemplate } from '../templates/index.ts';

const TAGS = ['Cloud API nodes'];

const fields = Type.Optional(Type.String({ description: 'Members to show, comma separated.' }));

const cursor = (description: string) => Type.Optional(Type.String({ description }));

const ONCE_TOLD = 'Shown on request, after a webhook has reported it.';
const numberNode = named(
  'PhoneNumberNode',
  Type.Object(
    {
      id: Type.String(),
      verified_name: Type.Optional(Type.String()),
      display_phone_number: Type.Optional(Type.String()),
      quality_rating: Type.Optional(Type.String()),
      throughput: Type.Optional(Type.Object({ level: Type.String() })),
      status: Type.Optional(Type.String({ description: 'Shown when asked for.' })),
      is_on_biz_app: Type.Optional(Type.Boolean({ description: 'Shown when asked for.' })),
      messaging_limit_tier: Type.Optional(Type.String({ description: ONCE_TOLD })),
      whatsapp_business_manager_messaging_limit: Type.Optional(Type.String({ description: ONCE_TOLD })),
    },
    { description: 'A sending number, as last read from the platform.' },
  ),
);

const wabaNode = named(
  'BusinessAccountNode',
  Type.Object({ id: Type.String() }, { description: 'A business account.' }),
);

const mediaNode = named(
  'MediaNode',
  Type.Object(
    {
      messaging_product: Type.Optional(Type.Literal('whatsapp')),
      url: Type.Optional(Type.String({ format: 'uri', description: 'Address of the file, for the same API key.' })),
      mime_type: Type.Optional(Type.String()),
      sha256: Type.Optional(Type.String()),
      file_size: Type.Optional(Type.Integer()),
      id: Type.String(),
    },
    { description: 'A media object, uploaded or received.' },
  ),
);

const NUMBER_EXAMPLE = {
  verified_name: 'Example Ltd',
  display_phone_number: '+15550783881',
  quality_rating: 'GREEN',
  throughput: { level: 'STANDARD' },
  id: '106540352242922',
};

export const getNodeSchema = {
  operationId: 'getNode',
  summary: 'Read a number, a business account, a template, a media object, a flow or a group',
  description:
    'As the Graph API shows it. Members of a number that the gateway does not keep, members of a business account, flows, groups and ' +
    'sign-ups are read at the platform. Any Graph version in place of `/v1` works as well.',
  tags: TAGS,
  params: Type.Object({
    id: Type.String({
      description: "The platform's id of a number, a business account, a template or a media object.",
    }),
  }),
  querystring: Type.Object({
    fields,
    phone_number_id: Type.Optional(Type.String({ description: 'The number a media object must belong to.' })),
  }),
  response: withPassedAnswers({
    ...commonErrors,
    200: Type.Union([numberNode, wabaNode, graphTemplate, mediaNode], {
      description: 'The node.',
      examples: [
        NUMBER_EXAMPLE,
        {
          messaging_product: 'whatsapp',
          url: 'https://gateway.example.com/v1/media/1037543291543636/download',
          mime_type: 'image/png',
          sha256: 'd3f6f4c1f0d5b7c0e1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708',
          file_size: 48_213,
          id: '1037543291543636',
        },
      ],
    }),
    404: errorSchema('There is nothing with this id.', 'NOT_FOUND'),
    422: errorSchema('The platform refused; `provider_error` has its words.', 'PROVIDER_REJECTED'),
  }),
};

export const listNumbersSchema = {
  operationId: 'listPhoneNumbers',
  summary: 'List the numbers of a business account',
  description:
    "As the Graph API lists them, all on one page. With a member in `fields` that the gateway does not keep, the list is the platform's own.",
  tags: TAGS,
  params: Type.Object({ wabaId: Type.String({ description: 'The business account ID.' }) }),
  querystring: Type.Object({
    fields,
    after: cursor('`paging.cursors.after` of an earlier answer.'),
    before: cursor('`paging.cursors.before` of an earlier answer.'),
  }),
  response: withPassedAnswers({
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(numberNode),
        paging: Type.Optional(
          Type.Object(
            { cursors: Type.Object({ before: Type.String(), after: Type.String() }) },
            { description: 'Absent if there are no numbers.' },
          ),
        ),
      },
      {
        description: 'The numbers.',
        examples: [
          {
            data: [NUMBER_EXAMPLE],
            paging: { cursors: { before: 'MTA2NTQwMzUyMjQyOTIy', after: 'MTA2NTQwMzUyMjQyOTIy' } },
          },
        ],
      },
    ),
    400: errorSchema('A cursor that is none.', 'VALIDATION_ERROR'),
    404: errorSchema('No such business account in the organization.', 'NOT_FOUND'),
  }),
};
