import { USER_ID_PATTERN } from '../core/ids.ts';
import { RECIPIENT_PATTERN } from '../core/phone-number.ts';

/** Patterns of texts in schemas. PostgreSQL stores no NUL, so no text that is searched for has one. */
export const NO_NUL = '^[^\\u0000]*$';
/** Half a surrogate pair, which an escape may spell, could only be stored as another character. */
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$';
export const PRINTABLE = '^[\\u0021-\\u007e]*$';
export const NUMERIC_ID = '^\\d{1,32}$';
export const PHONE_NUMBER = '^\\+?\\d{5,18}$';
export const PIN = '^\\d{6}$';
export const VERIFICATION_CODE = '^\\d{3}-?\\d{3}$';
export const TEMPLATE_NAME = '^[a-z0-9_]+$';

/** Messages about a text that does not match: few readers can see the mistake in a regular expression. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NO_NUL, 'must be text without NUL'],
  [ONE_LINE, 'must be one line of text, without control characters'],
  [PRINTABLE, 'must be printable ASCII without white space'],
  [NUMERIC_ID, 'must be a numeric ID'],
  [PHONE_NUMBER, 'must be a phone number in digits'],
  [PIN, 'must be six digits'],
  [VERIFICATION_CODE, 'must be the six digits of the code'],
  [TEMPLATE_NAME, 'must be small letters, digits and underscores'],
  [RECIPIENT_PATTERN, 'must be a phone number with a plus and its country code, such as +15550783881'],
  [USER_ID_PATTERN, 'must be a user id of the platform, such as US.13491208655302741918'],
]);
