import { type Static, Type } from 'typebox';
import { MESSAGE_TYPES } from '../core/message-types.ts';
import { commonErrors, errorSchema } from '../http/index.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const TAGS = ['Organizations'];
const SECURITY = [{ adminToken: [] }];

const errors = {
  400: errorSchema('The body or a parameter is not what it should be.', 'VALIDATION_ERROR'),
  401: errorSchema('Missing or wrong admin token.', 'UNAUTHORIZED'),
  500: commonErrors[500],
  503: commonErrors[503],
};
const notFound = errorSchema('No such organization or key.', 'NOT_FOUND');

const organizationParams = Type.Object({ org_id: Type.String({ format: 'uuid' }) });

const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description });

const settings = {
  weight: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1000,
      description: 'Share of the gateway among organizations that all have work waiting. Default 1.',
    }),
  ),
  unknown_outcome_policy: Type.Optional(
    Type.Enum(['resend', 'fail'], {
      description:
        'What ends a send of which nobody can say whether it arrived: sending it once more, or failing it. Default `resend`.',
    }),
  ),
  message_ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30 * 86_400,
      description: 'A message not dispatched this long after acceptance fails as `EXPIRED`. Default 86400.',
    }),
  ),
};

export const organizationBody = Type.Object(
  { name: name('For people.'), ...settings },
  { additionalProperties: false, examples: [{ name: 'Example Ltd' }] },
);

export const organizationPatchBody = Type.Object(
  { name: Type.Optional(name('For people.')), ...settings },
  { additionalProperties: false, description: 'What is absent stays.', examples: [{ message_ttl_seconds: 3600 }] },
);

const organization = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    weight: Type.Number(),
    unknown_outcome_policy: Type.Enum(['resend', 'fail']),
    message_ttl_seconds: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    description: 'The organization.',
    examples: [
      {
        id: EXAMPLE_ID,
        name: 'Example Ltd',
        weight: 1,
        unknown_outcome_policy: 'resend',
        message_ttl_seconds: 86400,
        created_at: '2026-08-01T09:30:00.000Z',
      },
    ],
  },
);

export const apiKeyBody = Type.Object(
  { name: Type.Optional(name('What the key is for.')) },
  { additionalProperties: false, description: 'May be left out.', examples: [{ name: 'shop backend' }] },
);

const apiKey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    key: Type.String({ description: 'The key itself, shown this once: only its hash is stored.' }),
    name: Type.Union([Type.String(), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    description: 'The new key.',
    examples: [
      {
        id: EXAMPLE_ID,
        key: 'fw_live_00000000000000000000000000000000000000',
        name: 'shop backend',
        created_at: '2026-08-01T09:30:00.000Z',
      },
    ],
  },
);

const countOrUnlimited = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 1e12,
  description: 'Messages accepted per calendar month (UTC).',
});
const moneyOrUnlimited = Type.Unsafe<number | null>({
  type: ['number', 'null'],
  minimum: 0,
  maximum: 1e9,
  description: 'Money per calendar month (UTC), up to six decimals, in whatever currency the prices are in.',
});
const rateOrUnlimited = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000, description });
const requestsPerSecond = rateOrUnlimited('API requests a second of all keys together, on each node.');
const keyRequestsPerSecond = rateOrUnlimited('API requests a second of each key, on each node.');
const queueOrUnlimited = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 100_000_000,
  description: 'Messages waiting to be sent; more are refused with `QUEUE_FULL`.',
});
const typesOrAll = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', enum: MESSAGE_TYPES },
  description: 'Send types that are included.',
});
const categoriesOrAll = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', enum: ['MARKETING', 'UTILITY', 'AUTHENTICATION', 'marketing', 'utility', 'authentication'] },
  description: 'Template categories that are included; answered in upper case.',
});
const pricesOrDefault = Type.Unsafe<Record<string, number> | null>({
  type: ['object', 'null'],
  patternProperties: { '^[a-z][a-z_]{0,39}$': { type: 'number', minimum: 0, maximum: 1e6 } },
  additionalProperties: false,
  description:
    'Price of one message by category in lower case. For categories without one: marketing 0.06, utility and ' +
    'authentication 0.02, service 0.01.',
});

export const planBody = Type.Object(
  {
    name: Type.Optional(name('For people.')),
    active: Type.Optional(Type.Boolean({ description: '`false` refuses every send.' })),
    monthly_message_limit: Type.Optional(countOrUnlimited),
    message_types: Type.Optional(typesOrAll),
    template_categories: Type.Optional(categoriesOrAll),
    monthly_budget: Type.Optional(moneyOrUnlimited),
    requests_per_second: Type.Optional(requestsPerSecond),
    key_requests_per_second: Type.Optional(keyRequestsPerSecond),
    queue_max: Type.Optional(queueOrUnlimited),
    prices: Type.Optional(pricesOrDefault),
  },
  {
    additionalProperties: false,
    description: 'What is absent stays; `null` is unlimited.',
    examples: [{ name: 'starter', active: true, monthly_message_limit: 10_000, monthly_budget: 250 }],
  },
);
export type PlanBody = Static<typeof planBody>;

const plan = Type.Object(
  {
    name: Type.String(),
    active: Type.Boolean(),
    monthly_message_limit: countOrUnlimited,
    message_types: typesOrAll,
    template_categories: categoriesOrAll,
    monthly_budget: moneyOrUnlimited,
    requests_per_second: requestsPerSecond,
    key_requests_per_second: keyRequestsPerSecond,
    queue_max: queueOrUnlimited,
    prices: pricesOrDefault,
  },
  {
    description: 'The plan in effect.',
    examples: [
      {
        name: 'starter',
        active: true,
        monthly_message_limit: 10_000,
        message_types: null,
        template_categories: null,
        monthly_budget: 250,
        requests_per_second: 100,
        key_requests_per_second: null,
        queue_max: 500_000,
        prices: null,
      },
    ],
  },
);

const counts = Type.Record(Type.String(), Type.Integer());

const usage = Type.Object(
  {
    month: Type.String(),
    accepted: Type.Integer(),
    sent: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    by_category: counts,
    by_pricing: counts,
    spent: Type.Number({ description: 'Money, at the prices of the plan.' }),
  },
  {
    description: 'What was used in the month.',
    examples: [
      {
        month: '2026-08',
        accepted: 120,
        sent: 118,
        delivered: 110,
        failed: 2,
        by_category: { utility: 100, service: 20 },
        by_pricing: { regular: 110 },
        spent: 2.2,
      },
    ],
  },
);

export const createOrganizationSchema = {
  summary: 'Create an organization',
  description: 'Its plan is unlimited until it is given another one.',
  tags: TAGS,
  security: SECURITY,
  body: organizationBody,
  response: { 201: organization, ...errors },
};

export const changeOrganizationSchema = {
  summary: "Change an organization's name or settings",
  tags: TAGS,
  security: SECURITY,
  params: organizationParams,
  body: organizationPatchBody,
  response: { 200: organization, ...errors, 404: notFound },
};

export const createApiKeySchema = {
  summary: 'Issue an API key',
  tags: TAGS,
  security: SECURITY,
  params: organizationParams,
  body: apiKeyBody,
  response: { 201: apiKey, ...errors, 404: notFound },
};

export const disableApiKeySchema = {
  summary: 'Disable an API key',
  description: 'For good; every node refuses it within a second. Once more changes nothing.',
  tags: TAGS,
  security: SECURITY,
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  response: { 204: Type.Null({ description: 'Disabled.' }), ...errors, 404: notFound },
};

export const putPlanSchema = {
  summary: "Set an organization's plan",
  description: 'Takes effect on every node within a second.',
  tags: TAGS,
  security: SECURITY,
  params: organizationParams,
  body: planBody,
  response: { 200: plan, ...errors, 404: notFound },
};

export const getUsageSchema = {
  summary: 'Usage of one month',
  tags: TAGS,
  security: SECURITY,
  params: organizationParams,
  querystring: Type.Object({
    month: Type.Optional(Type.String({ description: '`YYYY-MM` (UTC); the current month when absent.' })),
  }),
  response: { 200: usage, ...errors, 404: notFound },
};
