import { Type } from 'typebox';
import { named } from '../../http/index.ts';
import { onOrganization, onOrganizationErrors } from '../schemas.ts';
import { RATES_MAX } from './rate-card.ts';

export const CARDS_PER_PAGE_MAX = 100;

const validFrom = Type.String({ description: 'First day of validity (UTC), `YYYY-MM-DD`.' });
const example = { category: 'marketing', country: 'US', price: 0.025 };

/** Body of a rate card in JSON. */
export const rateCardBody = named(
  'RateCard',
  Type.Object(
    {
      valid_from: validFrom,
      rates: Type.Array(
        Type.Object(
          {
            category: Type.String({
              description: 'As reported by the platform, such as `authentication-international`.',
            }),
            country: Type.Optional(
              Type.String({
                description: "Two letters (ISO 3166), by the recipient's number; `*` or absent: any other.",
              }),
            ),
            price: Type.Union([Type.Number(), Type.String()], {
              description: 'Price of one message; at most six decimals.',
            }),
          },
          { additionalProperties: false },
        ),
      ),
    },
    {
      additionalProperties: false,
      description:
        'In place of JSON, `text/csv` with a header of `category`, `country` and `price`; `valid_from` is in the query then.',
      examples: [{ valid_from: '2026-10-01', rates: [example, { category: 'marketing', price: '0.0604' }] }],
    },
  ),
);

const data = Type.Array(
  Type.Object({ valid_from: Type.String(), category: Type.String(), country: Type.String(), price: Type.Number() }),
);
const storedRates = [{ valid_from: '2026-10-01', ...example }];
const rates = Type.Object({ data }, { description: 'The rates.', examples: [{ data: storedRates }] });
const ratePage = Type.Object(
  {
    data,
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
  },
  { description: 'One page of whole cards.', examples: [{ data: storedRates, next: null }] },
);
const dayInQuery = Type.Object({ valid_from: Type.Optional(validFrom) });

export const putRatesSchema = {
  operationId: 'setRates',
  summary: "Store an organization's rate card",
  description:
    "Replaces the card of the same day. For each category the most specific price wins: the newest valid rate of the recipient's country, " +
    "the newest for any country, the plan's price. Counts for messages accepted from then on, on every node within a second.",
  ...onOrganization,
  querystring: dayInQuery,
  body: rateCardBody,
  response: { 200: rates, ...onOrganizationErrors },
};

export const listRatesSchema = {
  operationId: 'listRates',
  summary: "List an organization's rates",
  description: `Lists the prices of all rate cards, newest card first. A page has whole cards: at most ${CARDS_PER_PAGE_MAX}, and no further one beyond ${RATES_MAX} rates.`,
  ...onOrganization,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CARDS_PER_PAGE_MAX,
        default: CARDS_PER_PAGE_MAX,
        description: 'Number of cards.',
      }),
    ),
  }),
  response: { 200: ratePage, ...onOrganizationErrors },
};

export const deleteRatesSchema = {
  operationId: 'deleteRates',
  summary: 'Delete the rate card of a day',
  description: 'Messages accepted before keep their prices.',
  ...onOrganization,
  querystring: dayInQuery,
  response: { 204: Type.Null({ description: 'Deleted.' }), ...onOrganizationErrors },
};
