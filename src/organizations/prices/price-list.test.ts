import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceListOf, priceMicrosOf } from './price-list.ts';
import type { Rate } from './rate.ts';

const rate = (validFrom: string, category: string, country: string, priceMicros: number): Rate => ({
  ...{ validFrom, category, country, priceMicros },
});
const price = (sources: Parameters<typeof priceListOf>[0], category: string, country?: string, day = '2026-11-15') =>
  priceMicrosOf(priceListOf(sources, country, day), category);

test("price: the plan's own, else the default; unknown category → the price of marketing", () => {
  const own = { priceMicros: { marketing: 90_000, service: 0, 'authentication-international': 5 }, rates: [] };
  const none = { priceMicros: {}, rates: [] };
  assert.equal(price(own, 'MARKETING'), 90_000);
  assert.equal(price(own, 'service'), 0);
  assert.equal(price(own, 'utility'), 20_000);
  assert.equal(price(own, 'authentication_international'), 5);
  assert.equal(price(own, 'toString'), 90_000);
  assert.equal(price(none, 'service'), 10_000);
  assert.equal(price(none, '__proto__'), 60_000);
  assert.equal(priceListOf(none, 'US', '2026-11-15').text, undefined);
});

test("price: rate of the country → before any country's, the plan's and the default; by date", () => {
  const sources = {
    priceMicros: { marketing: 1, utility: 2 },
    rates: [
      rate('2026-10-01', 'marketing', '*', 10),
      rate('2026-07-01', 'marketing', 'US', 20),
      rate('2026-11-10', 'marketing', 'US', 21),
      rate('2026-12-01', 'marketing', 'US', 22),
      rate('2026-10-01', 'authentication_international', 'IN', 30),
    ],
  };
  assert.equal(price(sources, 'marketing', 'US'), 21);
  assert.equal(price(sources, 'marketing', 'US', '2026-11-09'), 20);
  assert.equal(price(sources, 'marketing', 'US', '2026-12-01'), 22);
  assert.equal(price(sources, 'marketing', 'DE'), 10);
  assert.equal(price(sources, 'marketing'), 10);
  assert.equal(price(sources, 'marketing', 'DE', '2026-09-30'), 1);
  assert.equal(price(sources, 'utility', 'US'), 2);
  assert.equal(price(sources, 'authentication-international', 'IN'), 30);
  assert.equal(price(sources, 'authentication-international', 'US'), 21);
});
