/** A message's `to`, as a pattern that JSON Schema takes. */
export const RECIPIENT_PATTERN = '^\\+[ \\-.()]*[1-9](?:[ \\-.()]*[0-9]){6,14}$';
const RECIPIENT = new RegExp(RECIPIENT_PATTERN);

/**
 * The digits of a message's `to`, without the `+`. Undefined unless it is `+` and 7 to 15 digits, the first not 0,
 * with nothing but spaces, hyphens, dots and parentheses between them (api-rules#bodies).
 */
export function parseRecipient(to: string): string | undefined {
  return RECIPIENT.test(to) ? digitsOf(to) : undefined;
}

/** The ASCII digits of a number as the upstream displays it: `+1 631-555-1234` gives `16315551234`. */
export function digitsOf(displayPhoneNumber: string): string {
  return displayPhoneNumber.replace(/[^0-9]/g, '');
}

/**
 * The key of a recipient's conversation: `digits`, except that the two spellings of one Brazilian, Mexican or
 * Argentinian mobile number, with and without the digit that marks a mobile, give the same key. The upstream reports
 * either, whichever was dialled. Never dial a key.
 *
 * In Brazil a land line may differ from a mobile number by just that digit. The two then share a key, which is the
 * lesser harm: keeping them apart would refuse replies to customers who did write.
 */
export function conversationKeyOf(digits: string): string {
  return digits
    .replace(/^(55[0-9]{2})9([0-9]{8})$/, '$1$2')
    .replace(/^(52)1([0-9]{10})$/, '$1$2')
    .replace(/^(54)9([0-9]{10})$/, '$1$2');
}
