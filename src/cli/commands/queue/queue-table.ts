import { renderTable } from '../../terminal/table.ts';
import { span } from '../../terminal/times.ts';

/** The queue of the admin API, as far as the command reads it. */
export interface Queue {
  numbers: {
    organization_id: string;
    phone_number_id: string;
    queued: number;
    oldest_wait_seconds: number;
    messages_per_second: number;
    used_per_second: number;
    waits_for: string[];
    parked_until: string | null;
  }[];
}

/** Renders the numbers with waiting messages, the longest queue first. */
export async function renderQueue({ numbers }: Queue): Promise<string> {
  if (numbers.length === 0) return 'Nothing waits.';
  return renderTable(
    [
      { title: 'NUMBER', text: (row) => row.phone_number_id },
      { title: 'WAITING', text: (row) => row.queued },
      { title: 'OLDEST', text: (row) => span(row.oldest_wait_seconds) },
      { title: 'USED/S', text: (row) => row.used_per_second },
      { title: 'ALLOWED/S', text: (row) => Math.round(row.messages_per_second * 100) / 100 },
      { title: 'WAITS FOR', text: reasonsOf, wraps: true },
      { title: 'TENANT', text: (row) => row.organization_id, wraps: true },
    ],
    numbers.toSorted((a, b) => b.queued - a.queued),
  );
}

/** Returns the sum of the waiting messages, for people. */
export function totalOf({ numbers }: Queue): string {
  const waiting = numbers.reduce((sum, { queued }) => sum + queued, 0);
  return `${waiting} waiting, ${numbers.length} ${numbers.length === 1 ? 'number' : 'numbers'}`;
}

function reasonsOf({ waits_for, parked_until }: Queue['numbers'][number]): string {
  return [...waits_for, ...(parked_until === null ? [] : [`until ${parked_until}`])].join(', ');
}
