import type { Change } from './change.ts';

const COLUMNS: readonly [name: string, value: (change: Change) => unknown][] = [
  ['id', ({ id }) => id],
  ['organization_id', (change) => change.organization_id],
  ['sequence', ({ sequence }) => sequence],
  ['at', ({ at }) => at],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_subject', ({ actor }) => actor.identity?.subject],
  ['actor_email', ({ actor }) => actor.identity?.email],
  ['address', ({ address }) => address],
  ['request_id', (change) => change.request_id],
  ['operation', ({ operation }) => operation],
  ['object_type', ({ object }) => object?.type],
  ['object_id', ({ object }) => object?.id],
  ['http_status', (change) => change.http_status],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
  ['parameters', ({ parameters }) => parameters],
  ['answer', ({ answer }) => answer],
  ['digest', ({ digest }) => digest],
];

/** The first line of the file. */
export const CSV_HEAD = COLUMNS.map(([name]) => name).join(',');

/** Returns a change as a line of RFC 4180, with objects as JSON. */
export function csvRowOf(change: Change): string {
  return COLUMNS.map(([, value]) => cellOf(value(change))).join(',');
}

/** Quotes a cell. A name that a spreadsheet would read as a formula gets an apostrophe. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
