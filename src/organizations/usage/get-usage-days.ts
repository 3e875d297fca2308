import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { getOrganization } from '../get-organization.ts';
import { CHARGED, CHARGED_MICROS } from './charges.ts';
import { readMonth } from './get-usage.ts';
import { type DaySum, listDays } from './usage-day-queries.ts';
import { COUNTERS } from './usage-metrics.ts';

/** Dimensions by which the charges of a day are kept, in the order of their places in a metric. */
const DAY_DIMENSIONS = ['category', 'country'] as const;
export type DayDimension = (typeof DAY_DIMENSIONS)[number];

/** Charged messages of a day with one value of the dimension; null if it is unknown. */
interface DayGroup {
  value: string | null;
  messages: number;
  micros: number;
}

/** Usage of one day (UTC). */
export interface UsageDay {
  /** `YYYY-MM-DD` */
  day: string;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
  /** Millionths of the budget's currency unit. */
  spentMicros: number;
  groups: DayGroup[];
}

/** Reads the name of a dimension; undefined for none. Raises VALIDATION_ERROR. */
export function readDayDimension(name: string | undefined): DayDimension | undefined {
  const known = DAY_DIMENSIONS.find((dimension) => dimension === name);
  if (name !== undefined && known === undefined) throw invalid('"group_by" must be category or country.');
  return known;
}

/**
 * Returns the days of a month (UTC) that have begun, oldest first, with their charges by `by`; the current month when absent. Raises
 * NOT_FOUND, and VALIDATION_ERROR for a malformed month.
 */
export async function getUsageDays(
  { db, clock }: { db: Queryable; clock: Clock },
  organizationId: string,
  wanted: string | undefined,
  by: DayDimension | undefined,
): Promise<{ month: string; days: UsageDay[] }> {
  const month = readMonth(wanted, clock.now());
  const { id } = await getOrganization({ db }, organizationId);
  const sums = await listDays(db, id, month);
  const days = daysOf(month, clock.now()).map((day) => {
    return summarizeDay(
      day,
      sums.filter((sum) => sum.day === day),
      by,
    );
  });
  return { month, days };
}

/** Returns the days of a month up to `nowMs`. */
export function daysOf(month: string, nowMs: number): string[] {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`).filter(
    (day) => day <= today,
  );
}

/** Sorts the sums of one day into a report. */
export function summarizeDay(day: string, sums: readonly DaySum[], by: DayDimension | undefined): UsageDay {
  const counter = (name: keyof typeof COUNTERS) => sums.find(({ metric }) => metric === COUNTERS[name])?.value ?? 0;
  return {
    day,
    accepted: counter('accepted'),
    sent: counter('sent'),
    delivered: counter('delivered'),
    failed: counter('failed'),
    spentMicros: counter('spentMicros'),
    groups: by === undefined ? [] : groupDay(sums, by),
  };
}

function groupDay(sums: readonly DaySum[], by: DayDimension): DayGroup[] {
  const groups = new Map<string, DayGroup>();
  for (const { metric, value } of sums) {
    const [name, ...places] = metric.split('|');
    if (name !== CHARGED && name !== CHARGED_MICROS) continue;
    const key = places[DAY_DIMENSIONS.indexOf(by)] ?? '';
    const group = groups.get(key) ?? { value: key || null, messages: 0, micros: 0 };
    groups.set(key, group);
    if (name === CHARGED) group.messages += value;
    else group.micros += value;
  }
  return [...groups.values()].filter(({ messages, micros }) => messages !== 0 || micros !== 0);
}
