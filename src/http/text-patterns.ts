/** Patterns of texts in schemas. PostgreSQL stores no NUL, so no text that is searched for has one. */
export const NO_NUL = '^[^\\u0000]*$';
/** Half a surrogate pair, which an escape may spell, could only be stored as another character. */
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$';
export const PRINTABLE = '^[\\u0021-\\u007e]*$';
export const NUMERIC_ID = '^\\d{1,32}$';
export const PHONE_NUMBER = '^\\+?\\d{5,18}$';

/** Messages about a text that does not match: few readers can see the mistake in a regular expression. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NO_NUL, 'must be text without NUL'],
  [ONE_LINE, 'must be one line of text, without control characters'],
  [PRINTABLE, 'must be printable ASCII without white space'],
  [NUMERIC_ID, 'must be a numeric ID'],
  [PHONE_NUMBER, 'must be a phone number in digits'],
]);
