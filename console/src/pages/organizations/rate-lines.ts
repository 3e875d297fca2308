import type { AnswerOf, Schema } from '../../api/shapes.ts';

export type Rate = AnswerOf<'listRates'>['data'][number];

/** Writes rates as lines of text, as `ratesOf` reads them. */
export function rateLines(rates: readonly Rate[]): string {
  return rates.map(({ category, country, price }) => `${category}, ${country}, ${price}`).join('\n');
}

/**
 * Reads lines of category, country and price, separated by commas, semicolons or tabs, such as those copied from a spreadsheet. The
 * gateway judges the values.
 */
export function ratesOf(lines: string): Schema<'RateCard'>['rates'] {
  const rows = lines
    .split('\n')
    .map((line) => line.split(/[,;\t]/).map((value) => value.trim()))
    .filter((values) => values.some((value) => value !== ''));
  if (/^category$/i.test(rows[0]?.[0] ?? '')) rows.shift();
  return rows.map(([category = '', country = '', ...price]) => ({
    category,
    country: country === '' ? '*' : country.toUpperCase(),
    price: price.join(','),
  }));
}
