import { type Member, object, readStoredJson } from '../../core/json/index.ts';

/** Merges two JSON objects, given and returned as text. If both have a field, `news` wins. Values keep their spelling. */
export function mergeFields(stored: string, news: string): string {
  if (stored === '{}' || stored === news) return news;
  const known = readStoredJson(stored);
  const read = readStoredJson(news);
  const kept = Object.keys(known.value).filter((key) => !Object.hasOwn(read.value, key));
  return object([
    ...kept.map((key): Member => [key, known.rawOf([key])]),
    ...Object.keys(read.value).map((key): Member => [key, read.rawOf([key])]),
  ]);
}
