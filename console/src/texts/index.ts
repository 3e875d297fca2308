import { de } from './de/index.ts';
import { en } from './en/index.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
export type Texts = typeof en;

const TEXTS: Record<Language, Texts> = { en, de };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
