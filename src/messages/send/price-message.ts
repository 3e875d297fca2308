import type { SendingNumber } from '../../accounts/index.ts';
import { countryOf } from '../../core/country.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type FreeTier, type Plan, priceListOf, priceMicrosOf } from '../../organizations/index.ts';

/** Price of a message at its acceptance, and the prices by which the platform's report settles it. */
export interface MessagePrice {
  /** Country of the recipient's number, ISO 3166; empty if unknown. */
  country: string;
  /** Prices in force by category, a JSON object; undefined for the default prices. */
  prices: string | undefined;
  /** Millionths of the budget's currency unit. */
  priceMicros: number;
}

/**
 * Prices a message for the budget. A service message costs nothing while the number has free ones left this month. `recipient` is digits,
 * undefined for a person with a user id, which begins with the country; `category` is in lower case.
 */
export function priceMessage(
  deps: { clock: Clock; freeTier: FreeTier },
  plan: Plan,
  { organizationId, numberId }: SendingNumber,
  message: { recipient: string | undefined; userId: string | undefined; category: string },
): Now<MessagePrice> {
  const { recipient, userId, category } = message;
  const country = recipient === undefined ? userId?.slice(0, 2) : countryOf(recipient);
  const list = priceListOf(plan, country, dayOf(deps.clock.now()));
  const price = { country: country ?? '', prices: list.text, priceMicros: priceMicrosOf(list, category) };
  const { freeServiceMessages } = plan;
  if (category !== 'service' || price.priceMicros === 0 || freeServiceMessages === 0) return price;
  if (freeServiceMessages === null) return { ...price, priceMicros: 0 };
  return mapNow(deps.freeTier.usedBy(organizationId, numberId), (used) =>
    used < freeServiceMessages ? { ...price, priceMicros: 0 } : price,
  );
}

const DAY_MS = 86_400_000;
/** The day that was asked for last. */
let known = { number: -1, text: '' };

/** Returns the UTC day of a moment, `YYYY-MM-DD`. */
function dayOf(epochMs: number): string {
  const number = Math.floor(epochMs / DAY_MS);
  if (number !== known.number) known = { number, text: new Date(epochMs).toISOString().slice(0, 10) };
  return known.text;
}
