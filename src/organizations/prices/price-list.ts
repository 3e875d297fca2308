import { ANY, categoryKey, type Rate } from './rate.ts';

/**
 * Default prices of a message: marketing 0.06, utility and authentication 0.02, service 0.01 of the budget's currency unit. `*` is the price
 * of a category without one: it costs as much as marketing, to protect the budget.
 */
export const DEFAULT_PRICES: Readonly<Record<string, number>> = {
  marketing: 60_000,
  utility: 20_000,
  authentication: 20_000,
  service: 10_000,
  [ANY]: 60_000,
};

/** Sources of an organization's prices. */
export interface PriceSources {
  /** The plan's own price by category, in millionths. */
  priceMicros: Readonly<Record<string, number>>;
  rates: readonly Rate[];
}

/** Prices in force for one country on one day, in millionths by category; `*` for all others. */
export interface PriceList {
  micros: ReadonlyMap<string, number>;
  /** The same as a JSON object; undefined for the default prices. */
  text: string | undefined;
}

/** The lists of one day, by country. */
interface DayLists {
  day: string;
  byCountry: Map<string | undefined, PriceList>;
}

/** The lists that were asked for last, by organization. */
const known = new WeakMap<PriceSources, DayLists>();

/**
 * Returns the prices for a recipient's country (ISO 3166; undefined if unknown) on a day (`YYYY-MM-DD`). For each category the most
 * specific price wins: the newest rate of the country, the newest rate of all countries, the plan's price, the default price.
 */
export function priceListOf(sources: PriceSources, country: string | undefined, day: string): PriceList {
  let lists = known.get(sources);
  if (lists?.day !== day) {
    lists = { day, byCountry: new Map() };
    known.set(sources, lists);
  }
  const found = lists.byCountry.get(country) ?? makeList(sources, country, day);
  lists.byCountry.set(country, found);
  return found;
}

/** Returns the price of one message of a category, in millionths. */
export function priceMicrosOf({ micros }: PriceList, category: string): number {
  return micros.get(category) ?? micros.get(categoryKey(category)) ?? micros.get(ANY) ?? 0;
}

function makeList({ priceMicros, rates }: PriceSources, country: string | undefined, day: string): PriceList {
  const own = Object.entries(priceMicros).map(([category, micros]): [string, number] => [
    categoryKey(category),
    micros,
  ]);
  const valid = rates.filter(({ validFrom }) => validFrom <= day).sort((a, b) => (a.validFrom < b.validFrom ? -1 : 1));
  const pricesOf = (wanted: string) =>
    valid.filter((rate) => rate.country === wanted).map((rate): [string, number] => [rate.category, rate.priceMicros]);
  const entries = [...own, ...pricesOf(ANY), ...(country === undefined ? [] : pricesOf(country))];
  const micros = new Map([...Object.entries(DEFAULT_PRICES), ...entries]);
  micros.set(ANY, micros.get('marketing') ?? 0);
  return { micros, text: entries.length === 0 ? undefined : JSON.stringify(Object.fromEntries(micros)) };
}
