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

/**
 * Returns whole rate cards of an organization, newest first, those from before the day `before`; the rates of a card by category and country.
 * A page has at most `cards` cards and, beyond its first card, at most `rates` rates. `isOldest` marks the rates of the oldest card of all.
 */
export async function listRates(
  db: Queryable,
  organizationId: string,
  before: string | undefined,
  { cards, rates }: { cards: number; rates: number },
): Promise<(Rate & { isOldest: boolean })[]> {
  return await db.query<Rate & { isOldest: boolean }>({
    text: `
      WITH card AS (
        SELECT valid_from, row_number() OVER newest AS place, sum(count(*)) OVER newest AS total
        FROM rate WHERE organization_id = $1 AND ($2::date IS NULL OR valid_from < $2)
        GROUP BY valid_from WINDOW newest AS (ORDER BY valid_from DESC)
      )
      SELECT r.valid_from::text AS "validFrom", category, country, price_micros AS "priceMicros",
             r.valid_from = (SELECT min(valid_from) FROM card) AS "isOldest"
      FROM card JOIN rate AS r ON r.organization_id = $1 AND r.valid_from = card.valid_from
      WHERE place = 1 OR (place <= $3 AND total <= $4)
      ORDER BY r.valid_from DESC, category, country`,
    values: [organizationId, before, cards, rates],
  });
}
