import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryOf } from './country.ts';

for (const [digits, country] of [
  ['12025550123', 'US'],
  ['14165550123', 'CA'],
  ['18765550123', 'JM'],
  ['17875550123', 'PR'],
  ['5511987654321', 'BR'],
  ['5215512345678', 'MX'],
  ['4915112345678', 'DE'],
  ['79161234567', 'RU'],
  ['77011234567', 'KZ'],
  ['919876543210', 'IN'],
  ['2250701234567', 'CI'],
  ['5999123456', 'CW'],
  ['5997123456', 'BQ'],
  ['38344123456', 'XK'],
  ['999123456789', undefined],
  ['', undefined],
] as const) {
  test(`country: ${digits || 'no digits'} → ${country}`, () => assert.equal(countryOf(digits), country));
}
