import { type TProperties, type TSchema, Type } from 'typebox';
import { commonErrors, errorSchema, NO_NUL, named, nullableText, TEMPLATE_NAME } from '../http/index.ts';
import { listQuery } from './records/template-list.ts';

const TAGS = ['Templates'];
const EXAMPLE_ID = '594425479261596';
const EXAMPLE_WABA = '102290129340398';

const EXAMPLE_BODY = {
  name: 'parcel_on_its_way',
  language: 'en_US',
  category: 'UTILITY',
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/parcel.jpg'] } },
    { type: 'BODY', text: 'Your parcel {{1}} leaves us today.', example: { body_text: [['A-1042']] } },
  ],
};

const EXAMPLE_RECORD = {
  id: EXAMPLE_ID,
  waba_id: EXAMPLE_WABA,
  ...EXAMPLE_BODY,
  status: 'APPROVED',
  parameter_format: 'POSITIONAL',
  quality_score: 'GREEN',
  rejected_reason: null,
  created_at: '2026-11-02T10:00:00.000Z',
  updated_at: '2026-11-02T10:04:12.000Z',
};

const components = Type.Array(Type.Object({}, { additionalProperties: true }), {
  minItems: 1,
  description:
    "In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts " +
    'with a scheme or `/` or contains white space is fetched and replaced by an upload handle.',
});
const category = Type.Union(
  ['MARKETING', 'UTILITY', 'AUTHENTICATION', 'marketing', 'utility', 'authentication'].map((word) =>
    Type.Literal(word),
  ),
  { description: 'In any case, as on the platform.' },
);

const wabaParams = Type.Object({ wabaId: Type.String({ description: 'The business account ID.' }) });
const templateParams = Type.Object({ id: Type.String({ description: "The platform's id of the template." }) });

const success = Type.Object(
  { success: Type.Literal(true) },
  { description: 'The platform has deleted it.', examples: [{ success: true }] },
);

const errors = {
  ...commonErrors,
  429: errorSchema('Too many requests, or too many sample files to fetch; see `Retry-After`.', 'RATE_LIMITED'),
  500: {
    ...errorSchema(
      'A temporary fault here or at the platform. Try again, after `Retry-After` if it is present.',
      'INTERNAL_ERROR',
    ),
    headers: commonErrors[503].headers,
  },
};
const invalid = errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR');
const tooLarge = errorSchema('The body is larger than 1 MiB.', 'PAYLOAD_TOO_LARGE');
const refused = errorSchema(
  'The platform refused, or sample media could not be fetched; `provider_error` has the reason.',
  'PROVIDER_REJECTED',
);

const record = named(
  'Template',
  Type.Object(
    {
      id: Type.String(),
      waba_id: Type.String(),
      name: Type.String(),
      language: Type.String(),
      category: Type.String(),
      status: Type.String({ description: "The platform's own word; only `APPROVED` can be sent." }),
      parameter_format: nullableText,
      components,
      quality_score: nullableText,
      rejected_reason: nullableText,
      created_at: Type.String({ format: 'date-time' }),
      updated_at: Type.String({ format: 'date-time' }),
    },
    {
      additionalProperties: true,
      description: 'The template, with every other field that was sent or that the platform reports.',
      examples: [EXAMPLE_RECORD],
    },
  ),
);

/** A template in the Cloud API's form. */
export const graphTemplate = named(
  'GraphTemplate',
  Type.Object(
    {
      id: Type.String(),
      name: Type.Optional(Type.String()),
      language: Type.Optional(Type.String()),
      category: Type.Optional(Type.String()),
      status: Type.Optional(Type.String()),
      parameter_format: Type.Optional(Type.String()),
      components: Type.Optional(components),
      quality_score: Type.Optional(Type.Object({ score: Type.String(), date: Type.Integer() })),
    },
    { additionalProperties: true },
  ),
);

const summary = Type.Object(
  {
    total_count: Type.Optional(Type.Integer()),
    message_template_count: Type.Optional(Type.Integer()),
    message_template_limit: Type.Optional(Type.Integer()),
    are_translations_complete: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true, description: 'The requested totals.' },
);

export const recordListQuery = Type.Object({
  waba_id: Type.Optional(Type.String({ maxLength: 64, pattern: NO_NUL, description: 'A business account.' })),
  ...listQuery.properties,
});

export const graphListQuery = Type.Object({
  fields: Type.Optional(Type.String({ maxLength: 2_000, description: 'The fields to show, comma separated.' })),
  summary: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Totals to show, separated by commas: `total_count`, `message_template_count`, `message_template_limit`, ' +
        '`are_translations_complete`. They are read from the platform once a minute.',
    }),
  ),
  ...listQuery.properties,
});

export const deleteQuery = Type.Object({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 600,
      pattern: NO_NUL,
      description: 'Deletes all languages, unless `hsm_id` names one language.',
    }),
  ),
  hsm_id: Type.Optional(Type.String({ maxLength: 64, description: 'The id of one language version; needs `name`.' })),
  hsm_ids: Type.Optional(
    Type.String({ maxLength: 5_000, description: 'A JSON array of up to 100 ids, not together with the others.' }),
  ),
});

export const createTemplateSchema = {
  operationId: 'createTemplate',
  summary: 'Create a template',
  description:
    'Checks the fields named here and leaves the rest to the platform. The body is forwarded as sent, byte for ' +
    'byte, except that sample URLs are replaced by handles and an inferred `parameter_format` is added. `GET ' +
    '/v1/templates/{id}` shows the result of the review.',
  tags: TAGS,
  params: wabaParams,
  body: Type.Object(
    {
      name: Type.String({ pattern: TEMPLATE_NAME }),
      language: Type.String({ description: 'An official template language code.' }),
      category,
      components,
      parameter_format: Type.Optional(
        Type.Union(
          ['NAMED', 'POSITIONAL', 'named', 'positional'].map((word) => Type.Literal(word)),
          {
            description: 'Worked out from examples and placeholders when absent.',
          },
        ),
      ),
    },
    { additionalProperties: true, examples: [EXAMPLE_BODY] },
  ),
  response: {
    ...errors,
    200: Type.Object(
      {
        id: Type.String(),
        status: Type.String({ description: '`PENDING` unless the platform decided at once.' }),
        category: Type.String({ description: 'As assigned by the platform.' }),
      },
      {
        description: 'Created and submitted for review.',
        examples: [{ id: EXAMPLE_ID, status: 'PENDING', category: 'UTILITY' }],
      },
    ),
    400: invalid,
    404: errorSchema('No such business account in the organization.', 'NOT_FOUND'),
    409: errorSchema('The business account has no active, registered number.', 'ACCOUNT_NOT_REGISTERED'),
    413: tooLarge,
    422: refused,
  },
};

export const getTemplateSchema = {
  operationId: 'getTemplate',
  summary: 'Read a template',
  description: 'Returns the stored record, which follows the platform. Poll it for the result of the review.',
  tags: TAGS,
  params: templateParams,
  response: { ...errors, 200: record, 404: errorSchema('No such template in the organization.', 'NOT_FOUND') },
};

export const listTemplatesSchema = {
  operationId: 'listTemplates',
  summary: 'List templates',
  description: "The organization's templates, newest first.",
  tags: TAGS,
  querystring: recordListQuery,
  response: { ...errors, 200: page(record, EXAMPLE_RECORD, '/v1/templates'), 400: invalid },
};

export const listGraphTemplatesSchema = {
  operationId: 'listMessageTemplates',
  summary: "List a business account's templates, as in the Cloud API",
  description: 'Pages, filters and fields as in the Cloud API.',
  tags: TAGS,
  params: wabaParams,
  querystring: graphListQuery,
  response: {
    ...errors,
    200: page(
      graphTemplate,
      { ...EXAMPLE_BODY, status: 'APPROVED', quality_score: { score: 'GREEN', date: 1_793_577_600 }, id: EXAMPLE_ID },
      `/v1/${EXAMPLE_WABA}/message_templates`,
      { summary: Type.Optional(summary) },
    ),
    400: invalid,
    404: errorSchema('No such business account in the organization.', 'NOT_FOUND'),
    422: errorSchema('The platform refused to count; `provider_error` has its words.', 'PROVIDER_REJECTED'),
  },
};

export const editTemplateSchema = {
  operationId: 'editTemplate',
  summary: 'Edit a template',
  description:
    'Replaces the fields that the body names. The platform decides which fields can be changed, and reviews the ' +
    'template again. The body is forwarded as sent, except that sample URLs are replaced by handles.',
  tags: TAGS,
  params: templateParams,
  body: Type.Object(
    { category: Type.Optional(category), components: Type.Optional(components) },
    {
      additionalProperties: true,
      examples: [{ components: [{ type: 'BODY', text: 'Your parcel has left us.' }] }],
    },
  ),
  response: {
    ...errors,
    200: Type.Object(
      { success: Type.Literal(true), id: Type.String(), name: Type.String(), category: Type.String() },
      {
        description: 'The platform accepted the edit.',
        examples: [{ success: true, id: EXAMPLE_ID, name: EXAMPLE_BODY.name, category: 'UTILITY' }],
      },
    ),
    400: invalid,
    404: errorSchema('No such template in the organization.', 'NOT_FOUND'),
    413: tooLarge,
    422: refused,
  },
};

export const deleteTemplateSchema = {
  operationId: 'deleteTemplate',
  summary: 'Delete a template in one language',
  description: 'Deletes this language version at the platform, and then here.',
  tags: TAGS,
  params: templateParams,
  response: {
    ...errors,
    200: success,
    404: errorSchema('No such template in the organization.', 'NOT_FOUND'),
    422: refused,
  },
};

export const deleteTemplatesSchema = {
  operationId: 'deleteMessageTemplates',
  summary: 'Delete templates, as in the Cloud API',
  description: 'The parameters may also be in a JSON body, together with the query or alone.',
  tags: TAGS,
  params: wabaParams,
  querystring: deleteQuery,
  response: {
    ...errors,
    200: success,
    400: invalid,
    404: errorSchema('No such business account or template in the organization.', 'NOT_FOUND'),
    422: refused,
  },
};

function page(item: TSchema, example: unknown, path: string, more: TProperties = {}): TSchema {
  const paging = {
    cursors: { before: 'MTc2MjA3NzYwMDAwMC41OTQ', after: 'MTc2MjA3NzYwMDAwMC41OTQ' },
    next: `https://messaging.example.com${path}?after=MTc2MjA3NzYwMDAwMC41OTQ`,
  };
  return Type.Object(
    {
      data: Type.Array(item),
      paging: Type.Optional(
        Type.Object(
          {
            cursors: Type.Object({ before: Type.String(), after: Type.String() }),
            next: Type.Optional(Type.String({ format: 'uri', description: 'The next page; absent at the end.' })),
            previous: Type.Optional(Type.String({ format: 'uri' })),
          },
          { description: 'Absent when there is nothing to show.' },
        ),
      ),
      ...more,
    },
    { description: 'One page.', examples: [{ data: [example], paging }] },
  );
}
