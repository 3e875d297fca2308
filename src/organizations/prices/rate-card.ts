import { invalid } from '../../core/errors.ts';
import { ANY, categoryKey, type Rate } from './rate.ts';

/** Most rates of one card. */
export const RATES_MAX = 20_000;
/** Columns of a card in CSV, sorted by name. */
const HEADERS: ReadonlySet<string> = new Set(['category,country,price', 'category,price']);
const CATEGORY = /^[a-z][a-z_-]{0,39}$/i;
/** A price with at most six decimals: more could not be charged exactly. */
const PRICE = /^(\d{1,7})(?:\.(\d{1,6}))?$/;

/** One line of a rate card, unchecked. */
export interface CardLine {
  category: unknown;
  country: unknown;
  price: unknown;
}

/** Reads the first day of a card's validity from the parameter `name`. Raises VALIDATION_ERROR. */
export function readValidFrom(text: string | undefined, name = 'valid_from'): string {
  if (text === undefined || !isDay(text)) throw invalid(`"${name}" must be a day such as 2026-10-01.`);
  return text;
}

/** Reads the lines of a card that is valid from `validFrom` on. Raises VALIDATION_ERROR naming the first wrong line. */
export function readRates(validFrom: string, lines: readonly CardLine[]): Rate[] {
  if (lines.length === 0) throw invalid('The rate card has no rates.');
  if (lines.length > RATES_MAX) throw invalid(`A rate card has at most ${RATES_MAX} rates.`);
  const seen = new Set<string>();
  return lines.map((line, index) => {
    const fault = (what: string) => invalid(`Rate ${index + 1}: ${what}`);
    const { category, country = '', price } = line;
    if (typeof category !== 'string' || !CATEGORY.test(category))
      throw fault('"category" must be a word such as utility.');
    if (typeof country !== 'string' || !/^(?:|\*|[a-z]{2})$/i.test(country)) {
      throw fault('"country" must be a two-letter code, or "*" for every other country.');
    }
    const priceMicros = toMicros(price);
    if (priceMicros === undefined) throw fault('"price" must be a number of at most six decimals.');
    const rate = { validFrom, category: categoryKey(category), country: country.toUpperCase() || ANY, priceMicros };
    const key = `${rate.category} ${rate.country}`;
    if (seen.has(key)) throw fault(`the price of ${key} stands twice.`);
    seen.add(key);
    return rate;
  });
}

/**
 * Splits a card in CSV: a header that names `category`, `price` and perhaps `country` in any order, then one rate a line. The header's
 * separator, a comma or a semicolon, is that of every line. Raises VALIDATION_ERROR.
 */
export function readCsv(text: string): CardLine[] {
  const [header = '', ...lines] = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const separator = header.includes(';') ? ';' : ',';
  const cellsOf = (line: string) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const names = cellsOf(header).map((name) => name.toLowerCase());
  // Under any other header a price would count for every country, or be taken from the wrong column.
  if (!HEADERS.has(names.toSorted().join())) {
    throw invalid('The first line of the rate card must name the columns "category", "country" and "price".');
  }
  const [category, country, price] = ['category', 'country', 'price'].map((name) => names.indexOf(name));
  return lines.map((line, index) => {
    const cells = cellsOf(line);
    // A decimal comma makes one more cell: the price would be read without its decimals.
    if (cells.length !== names.length) {
      throw invalid(`Rate ${index + 1}: the line has ${cells.length} cells, and the first line ${names.length}.`);
    }
    return { category: cells[category ?? -1], country: cells[country ?? -1] ?? '', price: cells[price ?? -1] };
  });
}

/** Converts a price exactly, without floating-point arithmetic on its decimals; undefined if it has more than six. */
function toMicros(price: unknown): number | undefined {
  const found = typeof price === 'string' || typeof price === 'number' ? PRICE.exec(String(price)) : null;
  if (found === null) return undefined;
  const [, whole = '', decimals = ''] = found;
  return Number(whole + decimals.padEnd(6, '0'));
}

function isDay(text: string): boolean {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}
