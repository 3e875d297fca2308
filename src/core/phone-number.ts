/** A message's `to`, as a pattern that JSON Schema takes. */
export const RECIPIENT_PATTERN = '^\\+[ \\-.()]*[1-9](?:[ \\-.()]*[0-9]){6,14}$';
const RECIPIENT = new RegExp(RECIPIENT_PATTERN);

/**
 * The digits of a message's `to`, without the `+`. Undefined unless it is `+` and 7 to 15 digits, the first not 0,
 * with only spaces, hyphens, dots and parentheses between them (api-rules#bodies).
 */
export function parseRecipient(to: string): string | undefined {
  return RECIPIENT.test(to) ? digitsOf(to) : undefined;
}

/** Like `parseRecipient`, for a `to` whose `+` may be absent. */
export function parseLenientRecipient(to: string): string | undefined {
  return parseRecipient(/^\d/.test(to) ? `+${to}` : to);
}

/** The ASCII digits of a number as the platform displays it: `+1 631-555-1234` gives `16315551234`. */
export function digitsOf(displayPhoneNumber: string): string {
  return displayPhoneNumber.replace(/[^0-9]/g, '');
}

/** A country whose mobile numbers have two spellings: `canonical` is that of conversation keys; `$1` and `$2` are the digits that both share. */
interface Respelling {
  other: RegExp;
  canonical: string;
  /** Matches the canonical spelling; `respelt` is the other one. */
  own: RegExp;
  respelt: string;
}

/**
 * Brazil, Mexico and Argentina have a digit that marks a mobile. Ivory Coast (2021) and Benin (2024) put two digits before the eight of
 * every number; in Ivory Coast they stand for the operator, which the second of the old digits shows (07 Orange, 05 MTN, 01 Moov).
 */
const RESPELLINGS: readonly Respelling[] = [
  { other: /^(55[0-9]{2})9([0-9]{8})$/, canonical: '$1$2', own: /^(55[0-9]{2})([0-9]{8})$/, respelt: '$19$2' },
  { other: /^(52)1([0-9]{10})$/, canonical: '$1$2', own: /^(52)([0-9]{10})$/, respelt: '$11$2' },
  { other: /^(54)9([0-9]{10})$/, canonical: '$1$2', own: /^(54)([0-9]{10})$/, respelt: '$19$2' },
  ...[
    ['07', '[7-9]'],
    ['05', '[4-6]'],
    ['01', '[0-3]'],
  ].map(([prefix, second]) => ({
    other: new RegExp(`^(225)${prefix}([04-9]${second}[0-9]{6})$`),
    canonical: '$1$2',
    own: new RegExp(`^(225)([04-9]${second}[0-9]{6})$`),
    respelt: `$1${prefix}$2`,
  })),
  { other: /^(229)01([0-9]{8})$/, canonical: '$1$2', own: /^(229)([0-9]{8})$/, respelt: '$101$2' },
];

/**
 * The key of a recipient's conversation, normally `digits`. Mobile numbers of some countries have two spellings; both give the same key.
 * The platform reports either one, regardless of which was dialled. Never dial a key.
 *
 * In Brazil a land line may differ from a mobile number by just that digit. The two then share a key. That is the lesser harm:
 * separate keys would refuse replies to customers whose message did open the window.
 */
export function conversationKeyOf(digits: string): string {
  for (const { other, canonical } of RESPELLINGS) {
    if (other.test(digits)) return digits.replace(other, canonical);
  }
  return digits;
}

/** All spellings that have the conversation key of `digits`, the key first. */
export function spellingsOf(digits: string): string[] {
  const key = conversationKeyOf(digits);
  return [key, ...RESPELLINGS.flatMap(({ own, respelt }) => (own.test(key) ? [key.replace(own, respelt)] : []))];
}

/** The spelling of a conversation key's number that is not the key; undefined if there is none. */
export function otherSpellingOf(key: string): string | undefined {
  return spellingsOf(key).find((digits) => digits !== key);
}
