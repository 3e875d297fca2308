import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalPhone, spellingsOf, waIdOf } from './phone-spellings.ts';

const twoSpellings: [country: string, newer: string, older: string, reported: string][] = [
  ['Brazil', '5511987654321', '551187654321', '551187654321'],
  ['Mexico', '525512345678', '5215512345678', '5215512345678'],
  ['Argentina', '5491123456789', '541123456789', '5491123456789'],
  ['Ivory Coast, Orange', '2250768123456', '22568123456', '2250768123456'],
  ['Ivory Coast, MTN', '2250545123456', '22545123456', '2250545123456'],
  ['Ivory Coast, Moov', '2250102123456', '22502123456', '2250102123456'],
  ['Benin', '2290197123456', '22997123456', '2290197123456'],
];

test('numbers of two spellings: both are one phone with one wa_id', () => {
  for (const [country, newer, older, reported] of twoSpellings) {
    assert.deepEqual(spellingsOf(newer), [newer, older], country);
    for (const spelling of [newer, older]) {
      assert.equal(canonicalPhone(spelling), newer, country);
      assert.equal(waIdOf(spelling), reported, country);
    }
  }
});

test('numbers of one spelling: reported as dialled', () => {
  // In the Ivory Coast a number issued after 2021 may carry another operator than its eight digits had, and land lines start with 2.
  for (const digits of [
    '16505551234',
    '31205550100',
    '2250701234567',
    '2252721123456',
    '22521123456',
    '4915112345678',
  ]) {
    assert.deepEqual([canonicalPhone(digits), spellingsOf(digits), waIdOf(digits)], [digits, [digits], digits]);
  }
});
