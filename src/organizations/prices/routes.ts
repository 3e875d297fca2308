import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../database/database.ts';
import { jsonBytesOf, readJsonBody } from '../../http/index.ts';
import { getOrganization } from '../get-organization.ts';
import { putRates } from './put-rates.ts';
import type { Rate } from './rate.ts';
import { readCsv, readRates, readValidFrom } from './rate-card.ts';
import { listRates } from './rate-queries.ts';
import { deleteRatesSchema, listRatesSchema, putRatesSchema, rateCardBody } from './rate-schemas.ts';

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

  app.get<OfCard>(path, { schema: listRatesSchema }, async (request) => {
    const organization = await getOrganization(deps, request.params.org_id);
    return { data: (await listRates(deps.db, organization.id)).map(renderRate) };
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
