import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes of the gateway's own tokens. Secret scanners find a leaked token by its prefix and checksum. */
export const API_KEY_PREFIX = 'fw_live_';
/** Prefix of the keys of test organizations. */
export const TEST_KEY_PREFIX = 'fw_test_';
export const OPERATOR_TOKEN_PREFIX = 'fw_op_';

type Prefix = typeof API_KEY_PREFIX | typeof TEST_KEY_PREFIX | typeof OPERATOR_TOKEN_PREFIX;

const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const REST = new RegExp(`^[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Makes a token: prefix, 32 random base62 characters (190 bits), 6 of checksum. `randomBelow(n)` returns 0 to n - 1. */
export function makeToken(prefix: Prefix, randomBelow: (limit: number) => number = randomInt): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomBelow(ALPHABET.length)]).join('');
  return prefix + secret + checksumOf(prefix + secret);
}

/** True if `text` has the form and checksum of a token with this prefix. Detects typing errors and invented tokens without a look-up. */
export function isToken(prefix: Prefix, text: string): boolean {
  if (!text.startsWith(prefix) || !REST.test(text.slice(prefix.length))) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** True if the text has the form and checksum of an API key, of either prefix. */
export function isApiKey(text: string): boolean {
  return isToken(API_KEY_PREFIX, text) || isToken(TEST_KEY_PREFIX, text);
}

/** The part of a token that may be shown and stored, so that a person recognises it. */
export function hintOf(prefix: Prefix, token: string): string {
  return token.slice(0, prefix.length + 4);
}

/** CRC-32 in base62. Secret scanners use it to distinguish a token from a look-alike offline. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
