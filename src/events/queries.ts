import type { Queryable } from '../database/database.ts';
import type { Event } from './event.ts';
import { type EventPosition, positionBefore } from './event-cursor.ts';
import { type EventKey, eventId } from './event-id.ts';
import { type EventType, eventTypeNumber, eventTypeOf, type ResourceEventType } from './event-types.ts';

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

interface EventRow extends Record<string, unknown> {
  organization_id: string;
  subject_id: string;
  at: Date;
  xid: string;
  type: number;
  sequence: number;
  occurred_at: Date;
  category: string | null;
  pricing_type: string | null;
  error_code: string | null;
  error_message: string | null;
  waba_id: string | null;
  detail: string | null;
  upstream_field: string | null;
  upstream_value: string | null;
  number_id: number | null;
  phone_number_id: string | null;
  account_id: string | null;
  phone_number: string | null;
  direction: number | null;
  message_type: string | null;
  contact: number | null;
  template_name: string | null;
  template_language: string | null;
  callback_data: string | null;
  wamid: string | null;
  inbound_message: string | null;
}

const RECEIVED = eventTypeNumber('message.received');
const QUEUED = eventTypeNumber('message.queued');

/** Everything about the events `e` of a FROM list. The text of a message is read where an event shows it, and nowhere else. */
const FACTS = `
  e.organization_id, e.subject_id, e.at, e.xid::text AS xid, e.type, e.sequence, e.occurred_at, e.category, e.pricing_type,
  e.error_code, e.error_message, coalesce(e.waba_id, n.waba_id) AS waba_id, e.detail, e.upstream_field, e.upstream_value,
  n.number_id, n.phone_number_id, n.account_id, n.phone_number, m.direction, m.type AS message_type, m.contact,
  m.template_name, m.template_language, m.callback_data, CASE WHEN e.type <> ${QUEUED} THEN m.wamid END AS wamid,
  CASE WHEN e.type = ${RECEIVED} THEN m.body END AS inbound_message`;
const JOINS = `
  LEFT JOIN sending_number n ON n.number_id = e.number_id AND n.organization_id = e.organization_id
  LEFT JOIN message m ON e.type <= ${RECEIVED} AND m.organization_id = e.organization_id AND m.id = e.subject_id`;

/**
 * Events written within this time before a position are still looked for after it: longer than any transaction lives, plus room
 * for a server clock that was set back.
 */
const SLACK_SECONDS = 24 * 60 * 60;

/** Positions as statements take them: xid, subject, sequence, and the time before which nothing is looked for. */
function positionValues({ xid, subjectId, sequence, atSeconds }: EventPosition): unknown[] {
  return [xid, subjectId, sequence, new Date(Math.max(0, atSeconds - SLACK_SECONDS) * 1000)];
}

// Everything below a snapshot's xmin is settled: it is there or never will be. So whoever reads up to it and goes on from
// where it stopped misses nothing, in whatever order transactions commit.
const AFTER = `e.at >= $4 AND e.xid >= $1::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (e.xid, e.subject_id, e.sequence) > ($1::xid8, $2::uuid, $3::smallint)`;

/**
 * The next events of these organizations (`null`: of all) after `from`, at most `limit`, in the order they are to be told: for one
 * message that of its sequence, otherwise that of the transactions. No event of theirs that is committed later can come before
 * `next`, where reading goes on.
 */
export async function readCommittedEvents(
  db: Queryable,
  from: EventPosition,
  organizationIds: readonly string[] | null,
  limit: number,
): Promise<{ events: Event[]; next: EventPosition }> {
  const rows = await db.query<{ horizon: string; now: Date } & (EventRow | { subject_id: null })>({
    name: organizationIds === null ? 'event_read_committed_all' : 'event_read_committed',
    text: `
      SELECT now.xid::text AS horizon, now() AS now, f.*
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT ${FACTS}
        FROM (
          SELECT * FROM event e WHERE ${organizationIds === null ? '$5::uuid[] IS NULL' : 'e.organization_id = ANY($5::uuid[])'} AND ${AFTER}
          ORDER BY e.xid, e.subject_id, e.sequence LIMIT $6
        ) e ${JOINS}
      ) f ON true
      ORDER BY f.xid::xid8, f.subject_id, f.sequence`,
    values: [...positionValues(from), organizationIds, limit],
  });
  const events = rows.filter((row) => row.subject_id !== null).map(toEvent);
  const [first] = rows;
  const last = events.at(-1);
  if (first === undefined) throw new Error('no horizon');
  const next =
    last !== undefined && events.length === limit ? last.position : positionBefore(first.horizon, first.now.getTime());
  return { events, next };
}

/** Where an event is found at once: its key, whose it is, and the second it was written in. */
export interface EventRef extends EventKey {
  organizationId: string;
  atSeconds: number;
}

/** Events of any organizations, in no order; those that do not exist any more are left out. */
export async function listEventsByRef(db: Queryable, refs: readonly EventRef[]): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_by_ref',
    text: `
      SELECT ${FACTS}
      FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::timestamptz[]) AS k(organization_id, subject_id, sequence, at)
      JOIN event e ON e.organization_id = k.organization_id AND e.subject_id = k.subject_id AND e.sequence = k.sequence
        AND e.at >= k.at AND e.at < k.at + interval '1 second'
      ${JOINS}`,
    values: [
      refs.map((ref) => ref.organizationId),
      refs.map((ref) => ref.subjectId),
      refs.map((ref) => ref.sequence),
      refs.map((ref) => new Date(ref.atSeconds * 1000)),
    ],
  });
  return rows.map(toEvent);
}

/**
 * Events of one organization written within [fromMs, toMs) (epoch ms) after a place, at most `limit`, in the order of
 * `readCommittedEvents`.
 */
export async function listEventsBetween(
  db: Queryable,
  organizationId: string,
  after: EventPosition,
  range: { fromMs: number; toMs: number },
  limit: number,
): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_between',
    text: `
      SELECT ${FACTS}
      FROM (
        SELECT * FROM event e
        WHERE e.organization_id = $1 AND (e.xid, e.subject_id, e.sequence) > ($2::xid8, $3::uuid, $4::smallint)
          AND e.xid >= $2::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot()) AND e.at >= $5 AND e.at < $6
        ORDER BY e.xid, e.subject_id, e.sequence LIMIT $7
      ) e ${JOINS}
      ORDER BY e.xid, e.subject_id, e.sequence`,
    values: [
      organizationId,
      after.xid,
      after.subjectId,
      after.sequence,
      new Date(range.fromMs),
      new Date(range.toMs),
      limit,
    ],
  });
  return rows.map(toEvent);
}

/** The transaction horizon now, and the server's time: everything below it is settled, everything committed later lies above. */
export async function readHorizon(db: Queryable): Promise<{ xid: string; atMs: number }> {
  const rows = await db.query<{ xid: string; at: Date }>({
    name: 'event_horizon',
    text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid, now() AS at',
  });
  const row = rows[0];
  if (row === undefined) throw new Error('no horizon');
  return { xid: row.xid, atMs: row.at.getTime() };
}

/** Which organizations have events settled since the horizon `from`, and the horizon of this look. */
export async function listOrganizationsWithEvents(
  db: Queryable,
  from: { xid: string; atMs: number },
): Promise<{ organizationIds: string[]; horizon: { xid: string; atMs: number } }> {
  const rows = await db.query<{ xid: string; at: Date; organization_id: string | null }>({
    name: 'event_list_organizations',
    text: `
      SELECT now.xid::text AS xid, now() AS at, e.organization_id
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT DISTINCT organization_id FROM event
        WHERE at >= $2 AND xid >= $1::xid8 AND xid < pg_snapshot_xmin(pg_current_snapshot())
      ) e ON true`,
    values: [from.xid, new Date(Math.max(0, from.atMs - SLACK_SECONDS * 1000))],
  });
  const horizon = rows[0];
  if (horizon === undefined) throw new Error('no horizon');
  return {
    organizationIds: rows.flatMap((row) => row.organization_id ?? []),
    horizon: { xid: horizon.xid, atMs: horizon.at.getTime() },
  };
}

/** What tells of an event without reading it whole. */
export interface EventHead extends EventKey {
  position: EventPosition;
  type: EventType;
  numberId: number | null;
}

/** The next events of one organization after `from`, at most `limit`, without what they say. */
export async function listEventHeads(
  db: Queryable,
  organizationId: string,
  from: EventPosition,
  limit: number,
): Promise<EventHead[]> {
  const rows = await db.query<Pick<EventRow, 'subject_id' | 'sequence' | 'xid' | 'at' | 'type' | 'number_id'>>({
    name: 'event_list_heads',
    text: `
      SELECT e.subject_id, e.sequence, e.xid::text AS xid, e.at, e.type, e.number_id
      FROM event e WHERE e.organization_id = $5 AND ${AFTER}
      ORDER BY e.xid, e.subject_id, e.sequence LIMIT $6`,
    values: [...positionValues(from), organizationId, limit],
  });
  return rows.map((row) => ({
    subjectId: row.subject_id,
    sequence: row.sequence,
    position: toPosition(row),
    type: eventTypeOf(row.type),
    numberId: row.number_id,
  }));
}

/** Events of one organization by their keys, in the order of the keys; those that do not exist, or not any more, are left out. */
export async function listEventsByKey(
  db: Queryable,
  organizationId: string,
  keys: readonly EventKey[],
): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_by_key',
    text: `
      SELECT ${FACTS}
      FROM unnest($2::uuid[], $3::smallint[]) WITH ORDINALITY AS k(subject_id, sequence, ord)
      JOIN event e ON e.organization_id = $1 AND e.subject_id = k.subject_id AND e.sequence = k.sequence
      ${JOINS}
      ORDER BY k.ord`,
    values: [organizationId, keys.map((key) => key.subjectId), keys.map((key) => key.sequence)],
  });
  return rows.map(toEvent);
}

/** All events of one message, in their order. */
export async function listEventsOfMessage(db: Queryable, organizationId: string, messageId: string): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_of_message',
    text: `
      SELECT ${FACTS} FROM event e ${JOINS}
      WHERE e.organization_id = $1 AND e.subject_id = $2
      ORDER BY e.sequence`,
    values: [organizationId, messageId],
  });
  return rows.map(toEvent);
}

function toPosition(row: Pick<EventRow, 'xid' | 'subject_id' | 'sequence' | 'at'>): EventPosition {
  return {
    xid: row.xid,
    subjectId: row.subject_id,
    sequence: row.sequence,
    atSeconds: Math.floor(row.at.getTime() / 1000),
  };
}

function toEvent(row: EventRow): Event {
  return {
    id: eventId({ subjectId: row.subject_id, sequence: row.sequence }),
    organizationId: row.organization_id,
    type: eventTypeOf(row.type),
    sequence: row.sequence,
    occurredAtMs: row.occurred_at.getTime(),
    wabaId: row.waba_id,
    number: toNumberFacts(row),
    message: toMessageFacts(row),
    detail: row.detail,
    upstreamField: row.upstream_field,
    upstreamValue: row.upstream_value,
    position: toPosition(row),
  };
}

function toNumberFacts(row: EventRow): Event['number'] {
  const { number_id, phone_number_id, account_id, phone_number } = row;
  if (number_id === null || phone_number_id === null || account_id === null || phone_number === null) return null;
  return { numberId: number_id, phoneNumberId: phone_number_id, accountId: account_id, phoneNumber: phone_number };
}

function toMessageFacts(row: EventRow): Event['message'] {
  if (row.direction === null || row.message_type === null) return null;
  return {
    messageId: row.subject_id,
    direction: row.direction === 0 ? 'outbound' : 'inbound',
    messageType: row.message_type,
    contact: row.contact === null ? null : String(row.contact),
    templateName: row.template_name,
    templateLanguage: row.template_language,
    callbackData: row.callback_data,
    wamid: row.wamid,
    category: row.category,
    pricingType: row.pricing_type,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    inboundMessage: row.inbound_message,
  };
}
