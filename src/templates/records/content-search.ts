import { escapeBeyondAscii } from '../../core/json/index.ts';

/**
 * Returns LIKE patterns that find `part` in the JSON of components. A sender may have written `/` and characters beyond ASCII as such or
 * escaped, so each spelling has a pattern. Compare in lower case: databases that fold only ASCII find other letters as given, in all small
 * and in all capitals.
 */
export function contentPatterns(part: string): string[] {
  const quoted = [part, part.toLowerCase(), part.toUpperCase()].map((text) => JSON.stringify(text).slice(1, -1));
  const spellings = quoted
    .flatMap((text) => [text, escapeBeyondAscii(text)])
    .flatMap((text) => [text, text.replaceAll('/', '\\/')]);
  return [...new Set(spellings.map(lowerAscii))].map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
