import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../database/database.ts';
import { jsonBytesOf, type Query, readInteger, readJsonBody, readText } from '../../http/index.ts';
import { getOrganization } from '../get-organization.ts';
import { putRates } from './put-rates.ts';
import type { Rate } from './rate.ts';
import { RATES_MAX, readCsv, readRates, readValidFrom } from './rate-card.ts';
import { listRates } from './rate-queries.ts';
import {
  CARDS_PER_PAGE_MAX,
  deleteRatesSchema,
  listRatesSchema,
  putRatesSchema,
  rateCardBody,
} from './rate-schemas.ts';

interface OfList {
  Params: { org_id: string };
  Querystring: Query;
}

interface OfCard {
  Params: { org_id: string };
  Querystring: { valid_from?: string };
}

const MICROS = 1_000_000;

/** Registers rate cards under `/admin/v1`. Must be registered behind the admin token check. */
export function rateRoutes(app: FastifyInstance, deps: { db: Database }): void {
  const path = '/admin/v1/organizations/:org_id/rates';

  app.put<OfCard>(path, { schema: putRatesSchema }, async (request) => {
    const { validFrom, rates } = readCard(request, request.query.valid_from);
    await putRates(deps, request.params.org_id, validFrom, rates);
    return { data: rates.map(renderRate) };
  });

  app.get<OfList>(path, { schema: listRatesSchema }, async ({ params, query }) => {
    const cards = readInteger(query, 'limit', { min: 1, max: CARDS_PER_PAGE_MAX, fallback: CARDS_PER_PAGE_MAX });
    const after = readText(query, 'after');
    const before = after === undefined ? undefined : readValidFrom(after, 'after');
    const organization = await getOrganization(deps, params.org_id);
    const page = await listRates(deps.db, organization.id, before, { cards, rates: RATES_MAX });
    const last = page.at(-1);
    return { data: page.map(renderRate), next: last === undefined || last.isOldest ? null : last.validFrom };
  });

  app.delete<OfCard>(path, { schema: deleteRatesSchema }, async (request, reply) => {
    await putRates(deps, request.params.org_id, readValidFrom(request.query.valid_from), []);
    return reply.code(204).send();
  });
}

/** Reads a card in JSON or, by its content type, in CSV. */
function readCard(request: FastifyRequest, dayInQuery: string | undefined): { validFrom: string; rates: Rate[] } {
  if (/\bcsv\b/i.test(request.headers['content-type'] ?? '')) {
    const validFrom = readValidFrom(dayInQuery);
    return { validFrom, rates: readRates(validFrom, readCsv(jsonBytesOf(request).toString('utf8'))) };
  }
  const card = readJsonBody(request, rateCardBody);
  const validFrom = readValidFrom(card.valid_from);
  const lines = card.rates.map(({ category, country, price }) => ({ category, country, price }));
  return { validFrom, rates: readRates(validFrom, lines) };
}

function renderRate({ validFrom, category, country, priceMicros }: Rate) {
  return { valid_from: validFrom, category, country, price: priceMicros / MICROS };
}
