import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationKeyOf, digitsOf, parseRecipient } from './phone-number.ts';

test('recipient: plus and 7 to 15 digits, with any separators → its digits', () => {
  const cases: readonly [to: string, digits: string][] = [
    ['+1234567', '1234567'],
    ['+123456789012345', '123456789012345'],
    ['+16315551234', '16315551234'],
    ['+1 (631) 555-1234', '16315551234'],
    ['+1.631.555.1234', '16315551234'],
    ['+44 20 7946 0018', '442079460018'],
    ['+(49) 30-1234567', '49301234567'],
    ['+ 49 30 1234567', '49301234567'],
    ['+1--631  555..1234', '16315551234'],
    ['+)1(6315551234', '16315551234'],
  ];
  for (const [to, digits] of cases) assert.equal(parseRecipient(to), digits, to);
});

test('recipient: any other text → undefined', () => {
  const refused = [
    '',
    '+',
    '16315551234',
    '0016315551234',
    '++16315551234',
    '+123456',
    '+1234567890123456',
    '+0123456789',
    '+ 0123456789',
    ' +16315551234',
    '+16315551234 ',
    '+1 (631) 555 (1234)',
    '+16315551234\n',
    '\n+16315551234',
    '+1631\n5551234',
    '+1631\t5551234',
    '+1631\u00a05551234',
    '+1631–5551234',
    '+1631/5551234',
    '+1631,5551234',
    '+1631_5551234',
    '+1631555123a',
    '+1-800-FLOWERS',
    '+1631555x1234',
    '+１６３１５５５１２３４',
    '+١٦٣١٥٥٥١٢٣٤',
    '＋16315551234',
    '+1631555\u00001234',
    '+1631555+1234',
    '-16315551234',
    '+-',
    '120363041234567890@g.us',
    'US.13491208655302741918',
  ];
  for (const to of refused) assert.equal(parseRecipient(to), undefined, JSON.stringify(to));
});

test('recipient: very long text → read in one pass', () => {
  const separators = ' -.()'.repeat(100_000);
  assert.equal(parseRecipient(`+1${separators}`), undefined);
  assert.equal(parseRecipient(`+1${separators}234567`), '1234567');
  assert.equal(parseRecipient(`+${'1'.repeat(500_000)}`), undefined);
});

test('digits: displayed number → its digits', () => {
  assert.equal(digitsOf('+1 631-555-1234'), '16315551234');
  assert.equal(digitsOf('16315551234'), '16315551234');
  assert.equal(digitsOf('\u202a+55 11 91234-5678\u202c'), '5511912345678');
  assert.equal(digitsOf(''), '');
});

test('conversation key: both spellings of a mobile number → the same key', () => {
  const pairs: readonly [country: string, long: string, short: string][] = [
    ['Brazil', '5511987654321', '551187654321'],
    ['Brazil', '5585912345678', '558512345678'],
    ['Mexico', '5215512345678', '525512345678'],
    ['Argentina', '5491123456789', '541123456789'],
  ];
  for (const [country, long, short] of pairs) {
    assert.equal(conversationKeyOf(long), short, country);
    assert.equal(conversationKeyOf(short), short, country);
  }
});

test('conversation key: every other number → its own digits', () => {
  const numbers = [
    '16315551234',
    '442079460018',
    '4915112345678',
    '551187654321',
    '55119876543210',
    '55918765432',
    '525512345678',
    '52155123456789',
    '521551234567',
    '541123456789',
    '54911234567',
    '54911234567890',
    '5011987654321',
    '5315512345678',
    '1555119876543',
  ];
  for (const digits of numbers) assert.equal(conversationKeyOf(digits), digits);
});

test('conversation key: a key → itself', () => {
  for (const digits of ['5511999999999', '551199999999', '5215215215215', '5495495495495', '54954954954']) {
    const key = conversationKeyOf(digits);
    assert.equal(conversationKeyOf(key), key, digits);
  }
});
