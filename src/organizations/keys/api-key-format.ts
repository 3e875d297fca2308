import { crc32 } from 'node:zlib';

const PREFIX = 'fw_live_';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new API key: prefix, 32 random base62 characters (190 bits), 6 of checksum. `randomBelow(n)` returns 0 to n - 1. */
export function makeApiKey(randomBelow: (limit: number) => number): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomBelow(ALPHABET.length)]).join('');
  return PREFIX + secret + checksumOf(PREFIX + secret);
}

/** True if `text` has the form and checksum of an API key. Detects typing errors and invented keys without a look-up. */
export function isApiKey(text: string): boolean {
  return SHAPE.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The part of a key that may be shown and stored, so that a person recognises it. */
export function hintOf(apiKey: string): string {
  return apiKey.slice(0, PREFIX.length + 4);
}

/** CRC-32 in base62. Secret scanners use it to distinguish a key from a look-alike offline. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
