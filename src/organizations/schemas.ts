import { Type } from 'typebox';
import { adminErrors, errorSchema, named, ONE_LINE } from '../http/index.ts';
import { MARKETING_MESSAGES } from './queries.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const TAGS = ['Organizations'];
export const ORGANIZATIONS_PER_PAGE_MAX = 100;

const errors = {
  ...adminErrors,
  400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR'),
};
const notFound = errorSchema('No such organization or key.', 'NOT_FOUND');

/** Parts common to the schemas of all operations on one organization. */
export const onOrganization = {
  tags: TAGS,
  params: Type.Object({ org_id: Type.String({ format: 'uuid' }) }),
};
export const onOrganizationErrors = { ...errors, 404: notFound };

/** Schema of a name chosen by an operator. */
export const nameSchema = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE, description });

const retention = Type.Object(
  {
    messages_days: Type.Optional(
      Type.Integer({
        minimum: 8,
        maximum: 3650,
        description:
          'Days after which contents and identifiers of messages are removed, and the events about them. Times, status, category and price ' +
          'stay, and so do counts. A message that waits is kept, and so are all later ones.',
      }),
    ),
    events_days: Type.Optional(
      Type.Integer({
        minimum: 6,
        maximum: 30,
        description: 'Days after which events and the attempts of deliveries are deleted.',
      }),
    ),
    media_names_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3650, description: 'Days after which the names of files are removed.' }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Shorter times of keeping data than the gateway's own, in whole UTC days. Absent members follow the gateway. A change replaces the " +
      'object. Default `{}`.',
  },
);
const keepBodies = ['until_expiry', 'until_sent'] as const;

const settings = {
  weight: Type.Optional(
    Type.Number({
      minimum: 0.001,
      maximum: 1000,
      description: 'Share of the gateway among organizations that all have work waiting. Default 1.',
    }),
  ),
  unknown_outcome_policy: Type.Optional(
    Type.Enum(['resend', 'fail'], {
      description:
        'Action after a send whose outcome stays unknown: `resend` sends it once more, `fail` ends it as failed. Default `resend`.',
    }),
  ),
  message_ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30 * 86_400,
      description:
        'Seconds after acceptance at which a message that was not sent fails as `EXPIRED`. A shorter time to live of ' +
        'the message ends it earlier. Default 86400.',
    }),
  ),
  direct_send: Type.Optional(
    Type.Boolean({
      description:
        'Accepts free-form bodies with `category` outside of the 24-hour window, for accounts that may use Direct Send. Default false.',
    }),
  ),
  phone_numbers: Type.Optional(
    Type.Enum(['upstream', 'e164'], {
      description:
        'Notation of `contacts[0]` in the answer to a send: `to` as sent and its digits, or with `e164` both with `+`, so that they agree with ' +
        'endpoints that have the same setting. Default `upstream`.',
    }),
  ),
  to_without_plus: Type.Optional(
    Type.Boolean({
      description:
        'Accepts a `to` without `+`: its digits must begin with the country code. The body is forwarded as sent, and ' +
        'the platform documents that it puts the country code of the sending number in front of such a `to`. Default ' +
        '`false`.',
    }),
  ),
  contacts_as_text: Type.Optional(
    Type.Boolean({
      description:
        'Accepts `contacts` of a send as a text that holds the JSON array. It is forwarded as sent. Default `false`.',
    }),
  ),
  cloud_api_credentials: Type.Optional(
    Type.Boolean({
      description:
        'Accepts API keys also as `Authorization: OAuth <key>` and as the query parameter `access_token`. Proxies may log queries. Default ' +
        '`false`.',
    }),
  ),
  retention: Type.Optional(retention),
  keep_bodies: Type.Optional(
    Type.Enum([...keepBodies], {
      description:
        'Time up to which the body of a sent message is kept: `until_expiry` with the message, `until_sent` until the platform has ' +
        'accepted it or it has failed, and about a second longer. Default `until_expiry`.',
    }),
  ),
  opt_out_words: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: ONE_LINE }), {
      maxItems: 20,
      description:
        "Words such as `STOP`. A person's message that consists of one of them opts the person out of marketing from the number that " +
        'receives it. Letter case and punctuation around the word do not count. Default: none.',
    }),
  ),
  marketing_messages: Type.Optional(
    Type.Enum(MARKETING_MESSAGES, {
      description:
        "Sends marketing templates to the platform's `/marketing_messages`: `auto` where the business account has been " +
        'admitted there, or no longer takes them at `/messages`; `on` always; `off` never. A business account may have ' +
        'a setting of its own. Default `auto`.',
    }),
  ),
};

const test = Type.Boolean({
  description:
    'True for a test organization. It gets a business account of the built-in simulator, cannot connect any other, and nothing of it reaches ' +
    'the platform. Its keys begin with `fw_test_`. Chosen at the creation, for good. Default `false`.',
});

export const organizationBody = named(
  'OrganizationRequest',
  Type.Object(
    { name: nameSchema('For people.'), test: Type.Optional(test), ...settings },
    { additionalProperties: false, examples: [{ name: 'Example Ltd' }] },
  ),
);

export const organizationPatchBody = named(
  'OrganizationPatch',
  Type.Object(
    { name: Type.Optional(nameSchema('For people.')), ...settings },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are.',
      examples: [{ message_ttl_seconds: 3600 }],
    },
  ),
);

const exampleOrganization = {
  id: EXAMPLE_ID,
  name: 'Example Ltd',
  test: false,
  weight: 1,
  unknown_outcome_policy: 'resend',
  message_ttl_seconds: 86400,
  direct_send: false,
  phone_numbers: 'upstream',
  to_without_plus: false,
  contacts_as_text: false,
  cloud_api_credentials: false,
  opt_out_words: [],
  marketing_messages: 'auto',
  retention: {},
  keep_bodies: 'until_expiry',
  created_at: '2026-08-01T09:30:00.000Z',
};

const organization = named(
  'Organization',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String(),
      test,
      weight: Type.Number(),
      unknown_outcome_policy: Type.Enum(['resend', 'fail']),
      message_ttl_seconds: Type.Integer(),
      direct_send: Type.Boolean(),
      phone_numbers: Type.Enum(['upstream', 'e164']),
      to_without_plus: Type.Boolean(),
      contacts_as_text: Type.Boolean(),
      cloud_api_credentials: Type.Boolean(),
      opt_out_words: Type.Array(Type.String()),
      marketing_messages: Type.Enum(MARKETING_MESSAGES),
      retention,
      keep_bodies: Type.Enum([...keepBodies]),
      created_at: Type.String({ format: 'date-time' }),
    },
    {
      description: 'The organization.',
      examples: [exampleOrganization],
    },
  ),
);

const organizationPage = Type.Object(
  {
    data: Type.Array(organization),
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `cursor` of the next page; null at the end.' }),
  },
  { description: 'One page.', examples: [{ data: [exampleOrganization], next: EXAMPLE_ID }] },
);

export const createOrganizationSchema = {
  operationId: 'createOrganization',
  summary: 'Create an organization',
  description:
    'Its plan is unlimited until `setPlan` changes it. A test organization has its business account and number at once: `listWabas` shows them.',
  tags: TAGS,
  body: organizationBody,
  response: {
    201: organization,
    ...errors,
    503: errorSchema(
      'The account of a test organization could not be connected, so the organization was not created. Repeat the call.',
      'UNAVAILABLE',
    ),
  },
};

export const listOrganizationsSchema = {
  operationId: 'listOrganizations',
  summary: 'List organizations',
  description: 'Lists all organizations in pages, newest first.',
  tags: TAGS,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ORGANIZATIONS_PER_PAGE_MAX, default: 50 })),
  }),
  response: { 200: organizationPage, ...errors },
};

export const getOrganizationSchema = {
  operationId: 'getOrganization',
  summary: 'Read an organization',
  description: 'Returns the name, settings and state of one organization.',
  ...onOrganization,
  response: { 200: organization, ...onOrganizationErrors },
};

export const changeOrganizationSchema = {
  operationId: 'updateOrganization',
  summary: "Change an organization's name or settings",
  description: 'Changes the members that the body has. Takes effect on every node within a second.',
  ...onOrganization,
  body: organizationPatchBody,
  response: { 200: organization, ...onOrganizationErrors },
};
