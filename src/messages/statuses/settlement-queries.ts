import { ANY, CHARGED, CHARGED_MICROS, chargeDimensions, DEFAULT_PRICES } from '../../organizations/index.ts';
import { STATUS } from './message-status.ts';

/**
 * SQL of the price of a message after a status, in millionths, for a row of `applyStatuses`. A free pricing type costs nothing. Any other
 * type, or another category, has the price of that category in the prices that were in force at acceptance. Without a report of either, and
 * for messages of the previous version, the price stays.
 */
export function settledPrice(row: string): string {
  const prices = `coalesce(${row}.prices, '${JSON.stringify(DEFAULT_PRICES)}'::jsonb)`;
  return `CASE
    WHEN (${row}.pricing_type, ${row}.category) IS NOT DISTINCT FROM (${row}.old_pricing, ${row}.old_category) THEN ${row}.old_price
    WHEN ${row}.pricing_type LIKE 'free\\_%' THEN 0
    WHEN ${row}.country IS NULL THEN ${row}.old_price
    ELSE coalesce((${prices} ->> replace(${row}.category, '-', '_'))::bigint, (${prices} ->> '${ANY}')::bigint, ${row}.old_price)
  END`;
}

/** SQL that holds if a message is charged in the ledger. The rank is 0 for prices that a node of the previous version has applied. */
const isCharged = (status: string, pricing: string, rank: string) =>
  `${status} IN (${STATUS.delivered}, ${STATUS.read}) AND ${pricing} IS NOT NULL AND ${rank} > 0`;

/**
 * SELECT of the changes of the ledger by rows of `applyStatuses`: `organization_id`, `month`, `metric`, `amount`. The ledger has each
 * delivered message of the gateway with a pricing type once, at its settled price, whatever the order of its statuses.
 */
export function chargesOf(changed: string): string {
  const dimensions = chargeDimensions({
    number: 'c.number_id::text',
    pricing_type: 'e.pricing_type',
    category: 'e.category',
    country: 'c.country',
    api_key: 'c.api_key_id::text',
    template: 'c.template_name',
  });
  return `
      SELECT c.organization_id, date_trunc('month', c.accepted_at AT TIME ZONE 'UTC')::date, a.name || ${dimensions}, sum(a.amount)
      FROM ${changed} c
      CROSS JOIN LATERAL (VALUES
        (-1, old_pricing, old_category, old_price, ${isCharged('old_status', 'old_pricing', 'old_pricing_rank')}),
        (1, pricing_type, category, price, ${isCharged('new_status', 'pricing_type', 'pricing_rank')})
      ) AS e(sign, pricing_type, category, micros, is_charged)
      CROSS JOIN LATERAL (VALUES ('${CHARGED}', e.sign), ('${CHARGED_MICROS}', e.sign * e.micros)) AS a(name, amount)
      WHERE e.is_charged AND c.origin IS NULL
      GROUP BY 1, 2, 3`;
}
