/** Price of one message of a category to a country, from a day on. */
export interface Rate {
  /** `YYYY-MM-DD`, UTC: the first day of validity. */
  validFrom: string;
  /** As `categoryKey` spells it. */
  category: string;
  /** ISO 3166 code, or `*` for every country without a price of its own. */
  country: string;
  /** Millionths of the budget's currency unit. */
  priceMicros: number;
}

export const ANY = '*';

/** Returns the spelling of a category by which prices are found: the platform writes `authentication-international` in two ways. */
export function categoryKey(category: string): string {
  return category.toLowerCase().replaceAll('-', '_');
}
