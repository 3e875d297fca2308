import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv, readRates, readValidFrom } from './rate-card.ts';

const DAY = '2026-10-01';

test('rate card: CSV with columns in any order → rates in exact millionths', () => {
  const csv =
    '\ufeffCountry;Category;Price\r\nus;Marketing;0.025\r\n\r\n*;authentication-international;"0.000001"\n;utility;1.1\n';
  assert.deepEqual(readRates(DAY, readCsv(csv)), [
    { validFrom: DAY, category: 'marketing', country: 'US', priceMicros: 25_000 },
    { validFrom: DAY, category: 'authentication_international', country: '*', priceMicros: 1 },
    { validFrom: DAY, category: 'utility', country: '*', priceMicros: 1_100_000 },
  ]);
});

test('rate card: wrong line → refused with its number', () => {
  const good = { category: 'utility', country: 'US', price: 0.01 };
  for (const [line, words] of [
    [{ ...good, category: '' }, /Rate 2: "category"/],
    [{ ...good, category: 7 }, /Rate 2: "category"/],
    [{ ...good, country: 'USA' }, /Rate 2: "country"/],
    [{ ...good, price: '0.0000001' }, /Rate 2: "price"/],
    [{ ...good, price: 1e-7 }, /Rate 2: "price"/],
    [{ ...good, price: -1 }, /Rate 2: "price"/],
    [{ ...good, price: '' }, /Rate 2: "price"/],
    [{ ...good, price: undefined }, /Rate 2: "price"/],
    [{ ...good, country: 'us' }, /Rate 2: the price of utility US stands twice/],
  ] as const) {
    assert.throws(() => readRates(DAY, [good, line]), words);
  }
  assert.throws(() => readRates(DAY, []), /no rates/);
  assert.throws(() => readCsv('a,b\n1,2'), /first line/);
});

test('rate card: CSV with a decimal comma, or cells too many or few → refused with its number', () => {
  const refused = /Rate 2: the line has \d cells, and the first line 3/;
  for (const line of ['marketing,US,0,025', 'marketing,US,1,025.5', 'marketing,US', 'marketing;US;0.025']) {
    assert.throws(() => readCsv(`category,country,price\nutility,US,1\n${line}`), refused, line);
  }
  const semicolons = readCsv('category;country;price\nmarketing;US;0,025');
  assert.throws(() => readRates(DAY, semicolons), /Rate 1: "price"/);
});

test('rate card: CSV with an unknown or repeated column → refused', () => {
  for (const header of ['category,market,price', 'category,country,price,currency', 'category,price,price']) {
    assert.throws(() => readCsv(`${header}\nmarketing,US,1,2`), /first line/, header);
  }
  assert.deepEqual(readCsv('price,category\n1,utility'), [{ category: 'utility', country: '', price: '1' }]);
});

test('first day of validity: no day → refused', () => {
  assert.equal(readValidFrom('2026-02-28'), '2026-02-28');
  for (const text of [undefined, '', '2026-02-30', '2026-2-1', 'soon', '2026-13-01']) {
    assert.throws(() => readValidFrom(text), /valid_from/);
  }
});
