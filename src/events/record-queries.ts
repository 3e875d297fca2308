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
