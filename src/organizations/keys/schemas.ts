import { Type } from 'typebox';
import { errorSchema, NUMERIC_ID, named, nullableText, nullableTime, OPTIONAL_BODY, SCOPES } from '../../http/index.ts';
import { nameSchema, onOrganization, onOrganizationErrors } from '../schemas.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const LIST_MAX = 100;
/** A page without `limit` has as many: clients that read no further page get every key that an organization is likely to have. */
export const KEYS_PER_PAGE_MAX = 1000;
const OVERLAP_SECONDS_MAX = 30 * 86_400;

const onKey = { tags: onOrganization.tags, params: Type.Object({ id: Type.String({ format: 'uuid' }) }) };
const onKeyErrors = { ...onOrganizationErrors, 404: errorSchema('No such key.', 'NOT_FOUND') };

const listOf = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Union([Type.Array(item, { minItems: 1, maxItems: LIST_MAX, uniqueItems: true }), Type.Null()], { description });

const limits = {
  scopes: Type.Optional(
    listOf(
      Type.Enum([...SCOPES]),
      'Operations that the key may call; each operation names its scope. Null or absent: all of them.',
    ),
  ),
  phone_number_ids: Type.Optional(
    listOf(
      Type.String({ pattern: NUMERIC_ID }),
      "Numbers that the key may use, by the platform's id. The key then reads only messages and events of these numbers, and " +
        'operations that are not about one number are refused to it. Null or absent: all of the organization, also later ones.',
    ),
  ),
  source_ranges: Type.Optional(
    listOf(
      Type.String({ maxLength: 50 }),
      'Address ranges, in CIDR notation, that the key may be used from. The gateway compares the address of the connection. Null or ' +
        'absent: everywhere.',
    ),
  ),
  messages_per_minute: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      description:
        'POST requests to `messages` that the key may make in a minute, on each node. All of them at once, or spread over it. Null or ' +
        "absent: only the plan's limits hold.",
    }),
  ),
  expires_at: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Moment from which the key is refused, ISO 8601. Null or absent: never.',
    }),
  ),
};

export const apiKeyBody = named(
  'ApiKeyRequest',
  Type.Object(
    { name: Type.Optional(nameSchema('Purpose of the key, for people.')), ...limits },
    {
      additionalProperties: false,
      description: 'May be left out: a key without limits may do everything that the organization may.',
      examples: [{ name: 'shop backend', scopes: ['messages:send', 'media'], expires_at: '2027-08-01T00:00:00Z' }],
    },
  ),
);

export const apiKeyPatchBody = named(
  'ApiKeyPatch',
  Type.Object(
    { name: Type.Optional(nameSchema('Purpose of the key, for people.')), ...limits },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are.',
      examples: [{ source_ranges: ['192.0.2.0/24'] }],
    },
  ),
);

export const rotateKeyBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: 'Seconds for which the present key works beside the new one. Default 86400.',
      }),
    ),
  },
  { additionalProperties: false, description: 'May be left out.', examples: [{ overlap_seconds: 3600 }] },
);

const texts = Type.Union([Type.Array(Type.String()), Type.Null()]);
const members = {
  id: Type.String({ format: 'uuid' }),
  name: nullableText,
  hint: Type.String({ description: 'The first characters of the key, to recognise it.' }),
  scopes: texts,
  phone_number_ids: texts,
  source_ranges: texts,
  messages_per_minute: Type.Union([Type.Integer(), Type.Null()]),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullableTime,
  disabled_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null while it works.' }),
  previous_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Time until which the key before the last rotation works.',
  }),
  last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Correct to the hour.',
  }),
};
const example = {
  id: EXAMPLE_ID,
  name: 'shop backend',
  hint: 'fw_live_0000',
  scopes: ['messages:send', 'media'],
  phone_number_ids: null,
  source_ranges: null,
  messages_per_minute: null,
  created_at: '2026-08-01T09:30:00.000Z',
  expires_at: null,
  disabled_at: null,
  previous_until: null,
  last_used_at: null,
};

const apiKey = named('ApiKey', Type.Object(members, { description: 'The key.', examples: [example] }));

const secret = {
  key: Type.String({ description: 'The key itself, shown this once: only its hash is stored.' }),
};
const exampleSecret = { key: 'fw_live_00000000000000000000000000000000000000' };

const newApiKey = named(
  'NewApiKey',
  Type.Object(
    { id: members.id, ...secret, name: members.name, created_at: members.created_at },
    {
      description: 'The new key. The list of keys has its limits.',
      examples: [{ id: example.id, ...exampleSecret, name: example.name, created_at: example.created_at }],
    },
  ),
);

const rotatedApiKey = named(
  'RotatedApiKey',
  Type.Object(
    { ...members, ...secret },
    { description: 'The key with its new secret.', examples: [{ ...example, ...exampleSecret }] },
  ),
);

const apiKeys = Type.Object(
  {
    data: Type.Array(apiKey),
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
  },
  { description: 'One page.', examples: [{ data: [example], next: null }] },
);

export const createApiKeySchema = {
  operationId: 'createApiKey',
  summary: 'Issue an API key',
  description: 'The answer has the key itself; no later answer does.',
  ...onOrganization,
  ...OPTIONAL_BODY,
  body: apiKeyBody,
  response: { 201: newApiKey, ...onOrganizationErrors },
};

export const listApiKeysSchema = {
  operationId: 'listApiKeys',
  summary: "List an organization's API keys",
  description: 'Newest first, disabled keys included. The keys themselves cannot be read again.',
  ...onOrganization,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: KEYS_PER_PAGE_MAX, default: KEYS_PER_PAGE_MAX })),
  }),
  response: { 200: apiKeys, ...onOrganizationErrors },
};

export const changeApiKeySchema = {
  operationId: 'updateApiKey',
  summary: 'Change the name or limits of an API key',
  description: 'Takes effect on every node within a second. A disabled key cannot be changed.',
  ...onKey,
  body: apiKeyPatchBody,
  response: { 200: apiKey, ...onKeyErrors },
};

export const rotateApiKeySchema = {
  operationId: 'rotateApiKey',
  summary: 'Give an API key a new secret',
  description:
    'Id, name, limits and usage stay. The present key works until the overlap ends. A key from before an earlier rotation stops at once.',
  ...onKey,
  ...OPTIONAL_BODY,
  body: rotateKeyBody,
  response: { 200: rotatedApiKey, ...onKeyErrors },
};

export const disableApiKeySchema = {
  operationId: 'disableApiKey',
  summary: 'Disable an API key',
  description: 'Cannot be undone. Every node refuses the key within a second. A repeated call changes nothing.',
  ...onKey,
  response: { 204: Type.Null({ description: 'Disabled.' }), ...onKeyErrors },
};
