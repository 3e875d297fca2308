import { escapeBeyondAscii } from '../../core/json/index.ts';

/**
 * What to look for (as patterns of LIKE) in the JSON of components for a part of what they say: other characters than ASCII may stand
 * there as such or escaped, and so may `/`, as its sender wrote it. To be compared in lower case; databases that fold no more than
 * ASCII find the rest as given, all small and all capitals.
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
