import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { eventTypeNumber, type ResourceEventType } from './event-types.ts';

/** A new event that is not about a message. */
export interface NewEvent {
  /** A UUID that is equal for repeated reports of the same fact, so that it is written once. */
  id: string;
  organizationId: string;
  type: ResourceEventType;
  wabaId?: string | undefined;
  /** The small id of the number concerned, if any. */
  numberId?: number | undefined;
  occurredAtMs: number;
  /** Contents of the event: the members of its payload's `data` other than `waba_id` and `phone_number_id`. JSON object as text. */
  detail: string;
  /** The webhook field in which the upstream reported it, and the field's value as received. */
  upstream?: { field: string; value: string } | undefined;
}

/** The columns of an event as SQL: those that every event has, and those that some have. */
interface EventColumns {
  organization_id: string;
  subject_id: string;
  number_id: string;
  type: string | number;
  sequence: string;
  occurred_at: string;
  /** Never below that of the subject's event before; by default the id of this transaction. */
  xid?: string;
  category?: string;
  pricing_type?: string;
  error_code?: string;
  error_message?: string;
  waba_id?: string;
  detail?: string;
  upstream_field?: string;
  upstream_value?: string;
  upstream_status?: string;
}

/** Returns a part of a statement that records an event for each row of `source`, a FROM list and its conditions. */
export function addEvents(source: string, columns: EventColumns): string {
  return `
    INSERT INTO event (${Object.keys(columns).join(', ')})
    SELECT ${Object.values(columns).join(', ')} FROM ${source}`;
}

export const EVENTS = arrayTable<NewEvent>()({
  organization_id: ['uuid', (event) => event.organizationId],
  subject_id: ['uuid', (event) => event.id],
  number_id: ['int', (event) => event.numberId],
  type: ['smallint', (event) => eventTypeNumber(event.type)],
  occurred_at: ['timestamptz', (event) => new Date(event.occurredAtMs)],
  waba_id: ['text', (event) => event.wabaId],
  detail: ['text', (event) => event.detail],
  upstream_field: ['text', (event) => event.upstream?.field],
  upstream_value: ['text', (event) => event.upstream?.value],
});

/**
 * Records events in the caller's transaction, which makes the change they describe. Skips events whose id exists. Two transactions that
 * write the same id wait for each other. Returns the ids written.
 */
export async function recordEvents(tx: Queryable, events: readonly NewEvent[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const unique = [...new Map(events.map((event) => [event.id, event])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  // A separate statement, because the snapshot of the next one must include commits of previous lock holders. Days are partitions, so no
  // unique index can enforce one row per id.
  await tx.query({
    name: 'event_lock',
    text: 'SELECT pg_advisory_xact_lock(hashtextextended(id::text, 0)) FROM unnest($1::uuid[]) AS e(id)',
    values: [unique.map((event) => event.id)],
  });
  const rows = await tx.query<{ subject_id: string }>({
    name: 'event_record',
    text: `
      ${addEvents(
        `${EVENTS.from('i')} WHERE NOT EXISTS (SELECT FROM event e WHERE e.organization_id = i.organization_id AND e.subject_id = i.subject_id)`,
        {
          organization_id: 'i.organization_id',
          subject_id: 'i.subject_id',
          number_id: 'i.number_id',
          type: 'i.type',
          sequence: '1',
          occurred_at: 'i.occurred_at',
          waba_id: 'i.waba_id',
          detail: 'i.detail',
          upstream_field: 'i.upstream_field',
          upstream_value: 'i.upstream_value',
        },
      )}
      RETURNING subject_id`,
    values: EVENTS.values(unique),
  });
  return new Set(rows.map((row) => row.subject_id));
}
