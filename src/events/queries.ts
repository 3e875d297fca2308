import type { Queryable } from '../database/database.ts';
import { messageTableOf, nameFor } from '../database/days/message-tables.ts';
import type { Event } from './event.ts';
import type { EventPosition } from './event-cursor.ts';
import { type EventKey, eventId } from './event-id.ts';
import { eventTypeNumber, eventTypeOf, isMessageEvent } from './event-types.ts';

/** An event with its message and number, as the driver hands it out. */
export interface EventRow extends Record<string, unknown> {
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
  upstream_status: string | null;
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
/** Whether an event `e` is about a message. */
const IS_OF_MESSAGE = `(e.type <= ${RECEIVED} OR e.type = ${eventTypeNumber('message.updated')})`;

/** Everything about the events `e` of a FROM list. The text of a message is read where an event shows it, and nowhere else. */
const FACTS = `
  e.organization_id, e.subject_id, e.at, e.xid::text AS xid, e.type, e.sequence, e.occurred_at, e.category, e.pricing_type,
  e.error_code, e.error_message, coalesce(e.waba_id, n.waba_id, n.former_waba_id) AS waba_id, e.detail, e.upstream_field,
  e.upstream_value, e.upstream_status, coalesce(n.phone_number_id, n.former_phone_number_id) AS phone_number_id, n.account_id,
  n.phone_number, m.direction, m.type AS message_type, m.contact,
  m.template_name, m.template_language, m.callback_data, CASE WHEN e.type <> ${QUEUED} THEN m.wamid END AS wamid,
  CASE WHEN e.type = ${RECEIVED} THEN m.body END AS inbound_message`;
/**
 * What `FACTS` needs besides `e`, with the table its messages are in. Each number is looked up by itself: PostgreSQL takes an organization's
 * numbers for as few as most have, and would read all of them for each event of one that has many.
 */
export const joinsOf = (messages: string) => `
  LEFT JOIN LATERAL (SELECT * FROM sending_number WHERE number_id = e.number_id OFFSET 0) n ON n.organization_id = e.organization_id
  LEFT JOIN ${messages} m ON ${IS_OF_MESSAGE} AND m.organization_id = e.organization_id AND m.id = e.subject_id`;

/** An event `e` whose message `m` is no longer kept has nothing to tell, and counts as one that does not exist any more. */
const IS_WHOLE = `(NOT ${IS_OF_MESSAGE} OR m.id IS NOT NULL)`;

/** About how much memory the texts of such an event take, in bytes. */
const TEXT_BYTES = `
  coalesce(octet_length(e.upstream_value), 0) + CASE WHEN e.type = ${RECEIVED} THEN coalesce(octet_length(m.body), 0) ELSE 0 END`;

/** `FACTS` for a reading that is cut by bytes: with how many there are in all. The order is that of a window named `in_order`. */
export const MEASURED_FACTS = `
  ${FACTS}, row_number() OVER in_order AS place, sum(${TEXT_BYTES}) OVER in_order AS bytes, count(*) OVER () AS found`;

/** Which of them are read: the first, and after it what takes no more in all than the parameter says. */
export function withinBytes(parameter: string): string {
  return `(place = 1 OR bytes <= ${parameter})`;
}

/** Where an event is found at once: its key, whose it is, and the second it was written in. */
export interface EventRef extends EventKey {
  organizationId: string;
  atSeconds: number;
}

/**
 * Events of any organizations in the order of `refs`, those that do not exist any more left out: after the first no more than
 * `bytesMax` of text in all. Answers as well whether that is all of them.
 */
export async function readEventsByRef(
  db: Queryable,
  refs: readonly EventRef[],
  bytesMax: number,
  nowMs: number,
): Promise<{ events: Event[]; isAll: boolean }> {
  const subjectIds = refs.map((ref) => ref.subjectId);
  const table = messageTableOf(subjectIds, nowMs);
  const rows = await db.query<EventRow & { found: number }>({
    name: nameFor('event_read_by_ref', table),
    text: `
      SELECT * FROM (
        SELECT ${MEASURED_FACTS}
        FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::timestamptz[])
          WITH ORDINALITY AS k(organization_id, subject_id, sequence, at, ord)
        JOIN event e ON e.organization_id = k.organization_id AND e.subject_id = k.subject_id AND e.sequence = k.sequence
          AND e.at >= k.at AND e.at < k.at + interval '1 second'
        ${joinsOf(table.name)}
        WHERE ${IS_WHOLE}
        WINDOW in_order AS (ORDER BY k.ord)
      ) f
      WHERE ${withinBytes('$5')}
      ORDER BY place`,
    values: [
      refs.map((ref) => ref.organizationId),
      subjectIds,
      refs.map((ref) => ref.sequence),
      refs.map((ref) => new Date(ref.atSeconds * 1000)),
      bytesMax,
    ],
  });
  return { events: rows.map(toEvent), isAll: rows.length === (rows[0]?.found ?? 0) };
}

/** Events of one organization by their keys, in the order of the keys; those that do not exist, or not any more, are left out. */
export async function listEventsByKey(
  db: Queryable,
  organizationId: string,
  keys: readonly EventKey[],
): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_by_key',
    // `OFFSET 0` has each key looked up, whatever the planner thinks of the size of a day that has just begun.
    text: `
      SELECT ${FACTS}
      FROM unnest($2::uuid[], $3::smallint[]) WITH ORDINALITY AS k(subject_id, sequence, ord)
      CROSS JOIN LATERAL (
        SELECT * FROM event
        WHERE organization_id = $1 AND subject_id = k.subject_id AND event.sequence = k.sequence OFFSET 0
      ) e
      ${joinsOf('message')}
      WHERE ${IS_WHOLE}
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
      SELECT ${FACTS} FROM event e ${joinsOf('message')}
      WHERE e.organization_id = $1 AND e.subject_id = $2
      ORDER BY e.sequence`,
    values: [organizationId, messageId],
  });
  return rows.map(toEvent);
}

/** What of an event tells its place. */
export type PositionRow = Pick<EventRow, 'xid' | 'subject_id' | 'sequence' | 'at'>;

/** Where an event stands in the order they are told in. */
export function toPosition(row: PositionRow): EventPosition {
  return {
    xid: row.xid,
    subjectId: row.subject_id,
    sequence: row.sequence,
    atSeconds: Math.floor(row.at.getTime() / 1000),
  };
}

/** Rows of `FACTS` in the names of the program, without the events whose messages are no longer kept. */
export function toEvents(rows: readonly EventRow[]): Event[] {
  return rows.filter((row) => row.direction !== null || !isMessageEvent(eventTypeOf(row.type))).map(toEvent);
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
  const { phone_number_id, account_id, phone_number } = row;
  if (phone_number_id === null || account_id === null || phone_number === null) return null;
  return { phoneNumberId: phone_number_id, accountId: account_id, phoneNumber: phone_number };
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
    upstreamStatus: row.upstream_status,
    category: row.category,
    pricingType: row.pricing_type,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    inboundMessage: row.inbound_message,
  };
}
