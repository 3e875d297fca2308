import { Text, type TextProps, Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { usePreferences } from './preferences.tsx';

export interface TimeFormats {
  /** Date and time to the second; the year only if it is another. */
  full: (at: string | number) => string;
  /** Time to the millisecond. */
  clock: (at: string | number) => string;
  /** Hour and minute. */
  minute: (at: string | number) => string;
  /** Day and month in UTC, in which the gateway counts days. */
  day: (at: string | number) => string;
  /** Distance to now, such as `3 minutes ago`. */
  ago: (at: string | number, nowMs: number) => string;
  number: (value: number) => string;
  /** Duration, such as `1.2 s`. */
  duration: (ms: number) => string;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns formats in the chosen language and time zone. */
export function useTimes(): TimeFormats {
  const { language, timeZone } = usePreferences();
  return useMemo(() => {
    const zone = timeZone === 'local' ? {} : { timeZone };
    const moment = { day: 'numeric', month: 'short', ...CLOCK, ...zone } as const;
    // English without a region would begin with the month.
    const locale = language === 'en' ? 'en-GB' : language;
    const full = new Intl.DateTimeFormat(locale, moment);
    const fullWithYear = new Intl.DateTimeFormat(locale, { ...moment, year: 'numeric' });
    const thisYear = new Date().getFullYear();
    const clock = new Intl.DateTimeFormat(locale, { ...CLOCK, fractionalSecondDigits: 3, ...zone });
    const minute = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone });
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const number = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
    return {
      full(at) {
        const date = new Date(at);
        return (date.getFullYear() === thisYear ? full : fullWithYear).format(date);
      },
      clock: (at) => clock.format(new Date(at)),
      minute: (at) => minute.format(new Date(at)),
      day: (at) => day.format(new Date(at)),
      ago(at, nowMs) {
        const seconds = Math.round((new Date(at).getTime() - nowMs) / 1000);
        const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
        return relative.format(Math.trunc(seconds / size), unit);
      },
      number: (value) => number.format(value),
      duration(ms) {
        if (ms < 1000) return `${number.format(Math.round(ms))} ms`;
        if (ms < 120_000) return `${number.format(Math.round(ms / 100) / 10)} s`;
        if (ms < 7_200_000) return `${number.format(Math.round(ms / 60_000))} min`;
        return `${number.format(Math.round(ms / 360_000) / 10)} h`;
      },
    };
  }, [language, timeZone]);
}

/** Shows a time in the chosen zone; its tooltip has the time in UTC and its age. */
export function Time({ at, clock = false, ...props }: { at: string | null | undefined; clock?: boolean } & TextProps) {
  const times = useTimes();
  if (at === null || at === undefined)
    return (
      <Text component="span" inherit c="dimmed">
        –
      </Text>
    );
  return (
    <Tooltip label={`${new Date(at).toISOString()} · ${times.ago(at, Date.now())}`}>
      <Text component="time" inherit dateTime={at} className="moment" {...props}>
        {clock ? times.clock(at) : times.full(at)}
      </Text>
    </Tooltip>
  );
}

/** Returns the current time in milliseconds, renewed every `everyMs`. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), everyMs, { autoInvoke: true });
  return now;
}
