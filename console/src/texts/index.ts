import { de } from './de/index.ts';
import { en, type Texts } from './en/index.ts';

export type { Texts };

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const TEXTS: Record<Language, Texts> = { en, de };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
