import { Type } from 'typebox';
import { commonErrors, errorSchema, named, nullableText } from '../../http/index.ts';
import { onOrganization, onOrganizationErrors } from '../schemas.ts';

const counts = Type.Record(Type.String(), Type.Integer());

/** Delivered messages with reported pricing, and their cost. */
const charges = {
  messages: Type.Integer(),
  charged: Type.Number(),
  charged_micros: Type.Integer({ description: 'The same in millionths, exactly.' }),
};

const usage = named(
  'Usage',
  Type.Object(
    {
      month: Type.String(),
      accepted: Type.Integer(),
      sent: Type.Integer(),
      delivered: Type.Integer(),
      failed: Type.Integer(),
      by_category: counts,
      by_pricing: counts,
      spent: Type.Number({
        description:
          "Money for the budget: the price of each accepted message, settled by the platform's report, without failed " +
          'ones.',
      }),
      groups: Type.Optional(
        Type.Array(
          Type.Object({
            api_key: Type.Optional(nullableText),
            template: Type.Optional(nullableText),
            country: Type.Optional(nullableText),
            category: Type.Optional(nullableText),
            pricing_type: Type.Optional(nullableText),
            number: Type.Optional(nullableText),
            ...charges,
          }),
          {
            description:
              'With `group_by`: the delivered messages with reported pricing, and their cost. A message counts in the ' +
              'month of its acceptance.',
          },
        ),
      ),
    },
    {
      description: 'The usage of the month.',
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
  ),
);

const usageDays = named(
  'UsageDays',
  Type.Object(
    {
      month: Type.String(),
      days: Type.Array(
        Type.Object({
          day: Type.String({ format: 'date' }),
          accepted: Type.Integer(),
          sent: Type.Integer(),
          delivered: Type.Integer(),
          failed: Type.Integer(),
          spent: Type.Number(),
          spent_micros: Type.Integer({ description: 'The same in millionths, exactly.' }),
          groups: Type.Optional(
            Type.Array(
              Type.Object({
                category: Type.Optional(nullableText),
                country: Type.Optional(nullableText),
                ...charges,
              }),
              { description: 'With `group_by`: the delivered messages with reported pricing, and their cost.' },
            ),
          ),
        }),
        { description: 'The days that have begun, oldest first.' },
      ),
    },
    {
      description: 'The days of the month.',
      examples: [
        {
          month: '2026-08',
          days: [
            {
              day: '2026-08-01',
              accepted: 120,
              sent: 118,
              delivered: 110,
              failed: 2,
              spent: 2.2,
              spent_micros: 2_200_000,
              groups: [{ category: 'utility', messages: 110, charged: 2.2, charged_micros: 2_200_000 }],
            },
          ],
        },
      ],
    },
  ),
);

const month = Type.Optional(Type.String({ description: '`YYYY-MM` (UTC); the current month when absent.' }));
const usageQuery = Type.Object({
  month,
  group_by: Type.Optional(
    Type.String({
      description:
        'Adds `groups`, by one or more of `api_key`, `template`, `country`, `category`, `pricing_type`, `number`, ' +
        'separated by commas.',
    }),
  ),
});

export const getUsageSchema = {
  operationId: 'getUsage',
  summary: 'Read the usage of one month',
  description: 'Sums messages and their cost in one calendar month (UTC), in total or by groups.',
  ...onOrganization,
  querystring: usageQuery,
  response: { 200: usage, ...onOrganizationErrors },
};

export const getOwnUsageSchema = {
  operationId: 'getOwnUsage',
  summary: 'Read the usage of one month',
  description:
    'Sums the messages of the organization and their cost in one calendar month (UTC), in total or by groups.',
  tags: ['Messages'],
  querystring: usageQuery,
  response: { ...commonErrors, 200: usage, 400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR') },
};

export const getUsageDaysSchema = {
  operationId: 'getUsageDays',
  summary: 'Read the usage of one month by day',
  description:
    'Days are in UTC. A count is in the day on which it happened: the acceptance, the send, the report of a delivery or price. A month is that ' +
    'of the acceptance, so the days of a month may differ from its sum. Days are kept for 400 days; those before the update to this version are empty.',
  ...onOrganization,
  querystring: Type.Object({
    month,
    group_by: Type.Optional(Type.String({ description: '`category` or `country`.' })),
  }),
  response: { 200: usageDays, ...onOrganizationErrors },
};
