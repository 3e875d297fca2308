import type { Queryable } from '../database/database.ts';
import { eventTypeNumber, type ResourceEventType } from './event-types.ts';

/** Something that happened to anything but a message. */
export interface NewEvent {
  /** A UUID that is the same whenever the same happening is told again; then it is written once. */
  id: string;
  organizationId: string;
  type: ResourceEventType;
  wabaId?: string | undefined;
  /** Our small id of the number concerned, where it is one. */
  numberId?: number | undefined;
  occurredAtMs: number;
  /** What the event says: the members of its payload's `data` beyond `waba_id` and `phone_number_id`. JSON object as text. */
  detail: string;
  /** What the upstream told it with: the webhook field and its value as received. */
  upstream?: { field: string; value: string } | undefined;
}

/**
 * Writes events in the caller's transaction, which is that of the change they tell of; those whose id exists already are left
 * out. Two transactions that write one id at once wait for each other. Answers the ids written.
 */
export async function recordEvents(tx: Queryable, events: readonly NewEvent[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const unique = [...new Map(events.map((event) => [event.id, event])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  // A statement of its own: the next one's snapshot has to see what whoever held a lock before has committed. Days are
  // partitions, so that no unique index can hold an id to one row.
  await tx.query({
    name: 'event_lock',
    text: 'SELECT pg_advisory_xact_lock(hashtextextended(id::text, 0)) FROM unnest($1::uuid[]) AS e(id)',
    values: [unique.map((event) => event.id)],
  });
  const rows = await tx.query<{ subject_id: string }>({
    name: 'event_record',
    text: `
      INSERT INTO event (organization_id, subject_id, number_id, type, sequence, occurred_at, waba_id, detail, upstream_field,
                         upstream_value)
      SELECT i.organization_id, i.id, i.number_id, i.type, 1, i.occurred_at, i.waba_id, i.detail, i.field, i.value
      FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::smallint[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[])
        AS i(organization_id, id, number_id, type, occurred_at, waba_id, detail, field, value)
      WHERE NOT EXISTS (SELECT FROM event e WHERE e.organization_id = i.organization_id AND e.subject_id = i.id)
      RETURNING subject_id`,
    values: [
      unique.map((event) => event.organizationId),
      unique.map((event) => event.id),
      unique.map((event) => event.numberId),
      unique.map((event) => eventTypeNumber(event.type)),
      unique.map((event) => new Date(event.occurredAtMs)),
      unique.map((event) => event.wabaId),
      unique.map((event) => event.detail),
      unique.map((event) => event.upstream?.field),
      unique.map((event) => event.upstream?.value),
    ],
  });
  return new Set(rows.map((row) => row.subject_id));
}
