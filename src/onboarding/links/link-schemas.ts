import { Type } from 'typebox';
import { adminErrors, errorSchema, named, nullableText, nullableTime, OPTIONAL_BODY } from '../../http/index.ts';
import { chosenApp, idParams, organizationParams, shownApp, TAGS, testMembers } from '../schemas.ts';
import { LINK_SECONDS } from './setup-links.ts';

export const LINKS_PER_PAGE_MAX = 100;

const errors = {
  ...adminErrors,
  400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR'),
  404: errorSchema('No such organization or set-up link.', 'NOT_FOUND'),
};

export const linkBody = named(
  'SetupLinkRequest',
  Type.Object(
    {
      expires_in_seconds: Type.Optional(
        Type.Integer({
          ...{ minimum: LINK_SECONDS.min, maximum: LINK_SECONDS.max },
          description: 'Life of the link; three days if absent.',
        }),
      ),
      app_id: chosenApp,
      ...testMembers,
    },
    { additionalProperties: false, examples: [{ expires_in_seconds: 86400, test_recipient: '+15550783881' }] },
  ),
);

const members = {
  id: Type.String({ format: 'uuid' }),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  revoked_at: nullableTime,
  onboarding_id: { ...nullableText, description: 'The onboarding that it began.' },
  app_id: shownApp,
  test_recipient: nullableText,
  template: Type.Object({ name: Type.String(), language: Type.String() }),
};

const example = {
  ...{ id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30', created_at: '2026-11-02T10:00:00.000Z' },
  ...{ expires_at: '2026-11-05T10:00:00.000Z', revoked_at: null, onboarding_id: null, test_recipient: null },
  app_id: '880011223344',
  template: { name: 'hello_world', language: 'en_US' },
};

const link = named('SetupLink', Type.Object(members, { examples: [example] }));
const linkWithUrl = named(
  'SetupLinkWithUrl',
  Type.Object(
    {
      ...members,
      url: Type.String({
        description:
          'The link. Its secret is behind the `#`, which no server sees in an address. No later answer has it.',
      }),
    },
    { examples: [{ ...example, url: 'https://messaging.example.com/setup#AZnA3gAA' }] },
  ),
);

export const createLinkSchema = {
  operationId: 'createSetupLink',
  summary: 'Create a set-up link',
  description:
    'The link opens a page on which a person of the organization shares a business account with the app, and follows the onboarding. ' +
    'Anybody who has the link can do this, until it expires or is revoked.',
  tags: TAGS,
  params: organizationParams,
  body: linkBody,
  ...OPTIONAL_BODY,
  response: { ...errors, 201: linkWithUrl },
};

export const listLinksSchema = {
  operationId: 'listSetupLinks',
  summary: 'List the set-up links of an organization',
  description: 'Newest first, without their secrets. A link is forgotten some time after its end.',
  tags: TAGS,
  params: organizationParams,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LINKS_PER_PAGE_MAX, default: LINKS_PER_PAGE_MAX })),
  }),
  response: {
    ...errors,
    200: Type.Object(
      { data: Type.Array(link), next: nullableText },
      { description: 'One page.', examples: [{ data: [example], next: null }] },
    ),
  },
};

export const revokeLinkSchema = {
  operationId: 'revokeSetupLink',
  summary: 'Revoke a set-up link',
  description: 'The link opens nothing any more. An onboarding that it began goes on.',
  tags: TAGS,
  params: idParams,
  response: { ...errors, 204: Type.Null({ description: 'Revoked.' }) },
};
