import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { LANGUAGES, type Language, type Texts, textsOf } from '../texts/index.ts';

interface Preferences {
  language: Language;
  setLanguage: (language: Language) => void;
  /** IANA name, `UTC`, or `local` for the browser's. */
  timeZone: string;
  setTimeZone: (timeZone: string) => void;
}

const Context = createContext<Preferences | undefined>(undefined);

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useLocalStorage<Language>({
    key: 'fairway-language',
    defaultValue: browserLanguage(),
    getInitialValueInEffect: false,
  });
  const [timeZone, setTimeZone] = useLocalStorage<string>({
    key: 'fairway-time-zone',
    defaultValue: 'local',
    getInitialValueInEffect: false,
  });
  const value = useMemo(
    () => ({ language, setLanguage, timeZone, setTimeZone }),
    [language, setLanguage, timeZone, setTimeZone],
  );
  return <Context value={value}>{children}</Context>;
}

function browserLanguage(): Language {
  const wanted = navigator.language.slice(0, 2);
  return LANGUAGES.find((language) => language === wanted) ?? 'en';
}

export function usePreferences(): Preferences {
  const preferences = use(Context);
  if (preferences === undefined) throw new Error('There are no preferences here.');
  return preferences;
}

/** Returns the texts in the chosen language. */
export function useTexts(): Texts {
  return textsOf(usePreferences().language);
}
