import { type Static, Type } from 'typebox';
import { MESSAGE_TYPES } from '../../core/message-types.ts';
import { named } from '../../http/index.ts';
import { nameSchema, onOrganization, onOrganizationErrors } from '../schemas.ts';

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
  patternProperties: { '^[a-z][a-z_-]{0,39}$': { type: 'number', minimum: 0, maximum: 1e6 } },
  additionalProperties: false,
  description:
    'Price of one message by category in lower case, if no rate card has a price. Categories without a price ' +
    'cost: marketing 0.06, utility and authentication 0.02, service 0.01, any other as marketing. `-` and `_` in ' +
    'a category are the same.',
});
const freeOrAll = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 1e12,
  description:
    'Service messages that the platform delivers free, per number and calendar month (UTC). A service message is ' +
    'accepted at no price until the platform has reported this number as free. Its price is added if the ' +
    'platform reports another type. Default 1000; null: all.',
});

export const planBody = named(
  'PlanRequest',
  Type.Object(
    {
      name: Type.Optional(nameSchema('For people.')),
      active: Type.Optional(Type.Boolean({ description: '`false` refuses every send.' })),
      monthly_message_limit: Type.Optional(countOrUnlimited),
      message_types: Type.Optional(typesOrAll),
      template_categories: Type.Optional(categoriesOrAll),
      monthly_budget: Type.Optional(moneyOrUnlimited),
      requests_per_second: Type.Optional(requestsPerSecond),
      key_requests_per_second: Type.Optional(keyRequestsPerSecond),
      queue_max: Type.Optional(queueOrUnlimited),
      free_service_messages: Type.Optional(freeOrAll),
      prices: Type.Optional(pricesOrDefault),
    },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are; `null` is unlimited.',
      examples: [{ name: 'starter', active: true, monthly_message_limit: 10_000, monthly_budget: 250 }],
    },
  ),
);
export type PlanBody = Static<typeof planBody>;

const plan = named(
  'Plan',
  Type.Object(
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
      free_service_messages: freeOrAll,
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
          free_service_messages: 1_000,
          prices: null,
        },
      ],
    },
  ),
);

export const putPlanSchema = {
  operationId: 'setPlan',
  summary: "Set an organization's plan",
  description: 'Takes effect on every node within a second.',
  ...onOrganization,
  body: planBody,
  response: { 200: plan, ...onOrganizationErrors },
};

export const getPlanSchema = {
  operationId: 'getPlan',
  summary: "Read an organization's plan",
  description: 'An organization without a plan of its own has the unlimited plan.',
  ...onOrganization,
  response: { 200: plan, ...onOrganizationErrors },
};
