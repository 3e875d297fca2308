/** Patterns of texts in schemas. PostgreSQL keeps no NUL, so nothing that is looked for has one. */
export const NO_NUL = '^[^\\u0000]*$';
/** Half a character, as an escape may spell it, could only be stored as another one. */
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$';
export const PRINTABLE = '^[\\u0021-\\u007e]*$';
export const NUMERIC_ID = '^\\d{1,32}$';
export const PHONE_NUMBER = '^\\+?\\d{5,18}$';

/** What is said of a text that does not match: few read out of a regular expression what is wrong. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NO_NUL, 'must be text without NUL'],
  [ONE_LINE, 'must be one line of text, without control characters'],
  [PRINTABLE, 'must be printable ASCII without white space'],
  [NUMERIC_ID, 'must be a numeric ID'],
  [PHONE_NUMBER, 'must be a phone number in digits'],
]);
