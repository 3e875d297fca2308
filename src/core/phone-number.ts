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

/**
 * The key of a recipient's conversation, normally `digits`. Brazilian, Mexican and Argentinian mobile numbers have two spellings, with
 * and without the digit that marks a mobile; both give the same key. The platform reports either one, regardless of which was dialled.
 * Never dial a key.
 *
 * In Brazil a land line may differ from a mobile number by just that digit. The two then share a key. That is the lesser harm:
 * separate keys would refuse replies to customers whose message did open the window.
 */
export function conversationKeyOf(digits: string): string {
  return digits
    .replace(/^(55[0-9]{2})9([0-9]{8})$/, '$1$2')
    .replace(/^(52)1([0-9]{10})$/, '$1$2')
    .replace(/^(54)9([0-9]{10})$/, '$1$2');
}
