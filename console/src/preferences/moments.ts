import { usePreferences } from './preferences.tsx';

const DAY_MS = 86_400_000;

/** Fields for date and time, in the time zone that the pages show. */
export interface Moments {
  /** Returns a moment as a field has it, to the minute. */
  toField: (moment: Date) => string;
  /** Returns the moment of a field's text. */
  fromField: (text: string) => Date;
  /** Returns the beginning of today, or of a day before. */
  startOfDay: (daysAgo: number) => Date;
}

/** Returns the conversions of fields in the chosen time zone. Without them, a filter would differ from the times in its list. */
export function useMoments(): Moments {
  const { timeZone } = usePreferences();
  const toField = (moment: Date) => wallClock(moment, timeZone).slice(0, 16);
  const fromField = (text: string) => momentOf(text, timeZone);
  const startOfDay = (daysAgo: number) => {
    const today = Date.parse(`${wallClock(new Date(), timeZone).slice(0, 10)}T00:00Z`);
    return fromField(new Date(today - daysAgo * DAY_MS).toISOString().slice(0, 16));
  };
  return { toField, fromField, startOfDay };
}

/** Returns the date and time of a zone's clocks, such as `2026-11-02T10:00:00`. */
function wallClock(moment: Date, timeZone: string): string {
  const zone = timeZone === 'local' ? {} : { timeZone };
  // Sweden writes ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...zone })
    .format(moment)
    .replace(' ', 'T');
}

function momentOf(text: string, timeZone: string): Date {
  const asUtc = Date.parse(`${text}Z`);
  const offsetAt = (ms: number) => Date.parse(`${wallClock(new Date(ms), timeZone)}Z`) - Math.floor(ms / 1000) * 1000;
  // The second look is for a change of the clocks between the two moments.
  const first = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(first));
}
