import type { Schema } from '../../api/shapes.ts';

type Group = NonNullable<Schema<'Usage'>['groups']>[number];

/** Renders groups of usage as CSV with a header. Charges keep their exact millionths. */
export function groupsToCsv(
  groups: readonly Group[],
  by: 'category' | 'country' | 'template' | 'number' | 'api_key' | 'pricing_type',
): string {
  const lines = groups.map((group) => [group[by] ?? '', group.messages, group.charged_micros].map(cell).join(','));
  return `${[`${by},messages,charged_micros`, ...lines].join('\r\n')}\r\n`;
}

type Day = Schema<'UsageDays'>['days'][number];

/** Renders days as CSV with a header: their counts and cost, or their charges by category or country. */
export function daysToCsv(days: readonly Day[], by: 'category' | 'country' | undefined): string {
  const rows =
    by === undefined
      ? days.map((one) => [one.day, one.accepted, one.sent, one.delivered, one.failed, one.spent_micros])
      : days.flatMap(({ day, groups = [] }) =>
          groups.map((group) => [day, group[by] ?? '', group.messages, group.charged_micros]),
        );
  const head =
    by === undefined ? 'day,accepted,sent,delivered,failed,spent_micros' : `day,${by},messages,charged_micros`;
  return `${[head, ...rows.map((row) => row.map(cell).join(','))].join('\r\n')}\r\n`;
}

/** Quotes a cell, and keeps a spreadsheet from running one that begins like a formula. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
