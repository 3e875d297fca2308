import { readJsonDocument } from '../core/json/index.ts';

/**
 * The fields of two JSON objects as one, both given and returned as text; where both have a field, `news` counts. Values keep
 * their spelling.
 */
export function mergeFields(stored: string, news: string): string {
  if (stored === '{}' || stored === news) return news;
  const known = readJsonDocument(Buffer.from(stored));
  const read = readJsonDocument(Buffer.from(news));
  const kept = Object.keys(known.value).filter((key) => !Object.hasOwn(read.value, key));
  const members = [
    ...kept.map((key) => [key, known.rawOf([key])]),
    ...Object.keys(read.value).map((key) => [key, read.rawOf([key])]),
  ];
  return `{${members.map(([key, raw]) => `${JSON.stringify(key)}:${raw}`).join(',')}}`;
}
