import { membersOf, readStoredJson } from '../core/json/index.ts';

/** Longest text that is compared with stop words, in characters: a word, and punctuation around it. */
const TEXT_CHARACTERS_MAX = 80;

/**
 * True if a person's message consists of one of the words: the text of a message, or the label of a template's button. Letter case, and
 * white space and punctuation at both ends, do not count. `raw` is the platform's message object.
 */
export function isStopMessage(words: readonly string[], type: string, raw: string): boolean {
  if (words.length === 0 || (type !== 'text' && type !== 'button')) return false;
  const { value } = readStoredJson(raw);
  const text = type === 'text' ? membersOf(value.text).body : membersOf(value.button).text;
  if (typeof text !== 'string' || text.length > TEXT_CHARACTERS_MAX) return false;
  const said = comparedForm(text);
  return said !== '' && words.some((word) => comparedForm(word) === said);
}

function comparedForm(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '');
}
