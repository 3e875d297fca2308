import type { Queryable } from '../../database/database.ts';
import type { Rate } from './rate.ts';

/** Replaces the rates of an organization that are valid from the same day. */
export async function replaceRates(
  tx: Queryable,
  organizationId: string,
  validFrom: string,
  rates: readonly Rate[],
): Promise<void> {
  await tx.query({
    text: 'DELETE FROM rate WHERE organization_id = $1 AND valid_from = $2::date',
    values: [organizationId, validFrom],
  });
  await tx.query({
    text: `
      INSERT INTO rate (organization_id, valid_from, category, country, price_micros)
      SELECT $1, $2::date, category, country, price_micros
      FROM unnest($3::text[], $4::text[], $5::bigint[]) AS r(category, country, price_micros)`,
    values: [
      organizationId,
      validFrom,
      rates.map((rate) => rate.category),
      rates.map((rate) => rate.country),
      rates.map((rate) => rate.priceMicros),
    ],
  });
}

/** Lists an organization's rates: newest card first, then by category and country. */
export async function listRates(db: Queryable, organizationId: string): Promise<Rate[]> {
  return await db.query<Rate & Record<string, unknown>>({
    text: `
      SELECT valid_from::text AS "validFrom", category, country, price_micros AS "priceMicros"
      FROM rate WHERE organization_id = $1 ORDER BY valid_from DESC, category, country`,
    values: [organizationId],
  });
}
