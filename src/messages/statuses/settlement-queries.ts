import {
  ANY,
  billingMonthSql,
  CHARGED,
  CHARGED_MICROS,
  chargeDimensions,
  DEFAULT_PRICES,
} from '../../organizations/index.ts';
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
 *
 * Messages are grouped before their metrics are named, because a name is expensive and most messages of a set share theirs.
 */
export function chargesOf(changed: string): string {
  const before = isCharged('old_status', 'old_pricing', 'old_pricing_rank');
  const after = isCharged('new_status', 'pricing_type', 'pricing_rank');
  const charges = (sign: number, condition: string, [pricing, category, price]: readonly [string, string, string]) => `
        SELECT organization_id, accepted_at, number_id, ${pricing} AS pricing_type, ${category} AS category, country, api_key_id,
               template_name, ${sign} AS sign, ${sign} * ${price} AS micros
        FROM ${changed}
        WHERE ${condition} AND origin IS NULL
          AND (${before}, old_pricing, old_category, old_price) IS DISTINCT FROM (${after}, pricing_type, category, price)`;
  const dimensions = chargeDimensions({
    number: 'number_id::text',
    pricing_type: 'pricing_type',
    category: 'category',
    country: 'country',
    api_key: 'api_key_id::text',
    template: 'template_name',
  });
  return `
      SELECT organization_id, month, a.name || ${dimensions}, a.amount
      FROM (
        SELECT organization_id, ${billingMonthSql('accepted_at')} AS month, number_id, pricing_type, category, country, api_key_id,
               template_name, sum(sign) AS messages, sum(micros) AS micros
        FROM (${charges(-1, before, ['old_pricing', 'old_category', 'old_price'])}
        UNION ALL${charges(1, after, ['pricing_type', 'category', 'price'])}
        ) charge
        GROUP BY organization_id, month, number_id, pricing_type, category, country, api_key_id, template_name
      ) charged, LATERAL (VALUES ('${CHARGED}', messages), ('${CHARGED_MICROS}', micros)) AS a (name, amount)`;
}
