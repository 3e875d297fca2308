import { originOf } from '../core/message-origins.ts';
import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { messageTableOf, nameFor } from '../database/days/message-tables.ts';
import { phoneNumberOf } from '../people/index.ts';
import type { Event } from './event.ts';
import type { EventPosition } from './event-cursor.ts';
import { type EventKey, eventId } from './event-id.ts';
import { EVENT_TYPES, eventTypeNumber, eventTypeOf, isMessageEvent } from './event-types.ts';

/** An event with its message and number, as the driver returns it. */
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
  number_id: number | null;
  phone_number_id: string | null;
  account_id: string | null;
  phone_number: string | null;
  direction: number | null;
  origin: number | null;
  group_id: string | null;
  message_type: string | null;
  contact: number | null;
  person: string | null;
  user_id: string | null;
  template_name: string | null;
  template_language: string | null;
  callback_data: string | null;
  wamid: string | null;
  inbound_message: string | null;
}

const RECEIVED = eventTypeNumber('message.received');
const QUEUED = eventTypeNumber('message.queued');
/** Types of events about a message that follow the first ones in the list. */
const LATER_TYPES = EVENT_TYPES.map((type, number) => ({ type, number }))
  .filter(({ type, number }) => isMessageEvent(type) && number > RECEIVED)
  .map(({ number }) => number);
/** Holds if an event `e` is about a message. */
const IS_OF_MESSAGE = `(e.type <= ${RECEIVED} OR e.type IN (${LATER_TYPES.join()}))`;
/** Holds if an event `e` shows the text of its message. */
const SHOWS_TEXT = `e.type IN (${RECEIVED}, ${eventTypeNumber('message.standby')})`;

/** Columns of the events `e` of a FROM list. A message's text is read only for events that show it. */
const FACTS = `
  e.organization_id, e.subject_id, e.at, e.xid::text AS xid, e.type, e.sequence, e.occurred_at, e.category, e.pricing_type,
  e.error_code, e.error_message, coalesce(e.waba_id, n.waba_id, n.former_waba_id) AS waba_id, e.detail, e.upstream_field,
  e.upstream_value, e.upstream_status, n.number_id, coalesce(n.phone_number_id, n.former_phone_number_id) AS phone_number_id, n.account_id,
  n.phone_number, m.direction, m.origin, m.group_id, m.type AS message_type, m.contact,
  m.person, CASE WHEN e.sequence >= coalesce(m.user_id_sequence, 0) THEN m.user_id END AS user_id, m.template_name, m.template_language, m.callback_data, CASE WHEN e.type <> ${QUEUED} THEN m.wamid END AS wamid,
  CASE WHEN ${SHOWS_TEXT} THEN m.body END AS inbound_message`;
/**
 * Returns the joins for `FACTS`, with the table of the messages. The LATERAL looks each number up singly. Without it, PostgreSQL estimates
 * an organization's numbers by the average, and reads all numbers of a large organization for each event.
 */
export const joinsOf = (messages: string) => `
  LEFT JOIN LATERAL (SELECT * FROM sending_number WHERE number_id = e.number_id OFFSET 0) n ON n.organization_id = e.organization_id
  LEFT JOIN ${messages} m ON ${IS_OF_MESSAGE} AND m.organization_id = e.organization_id AND m.id = e.subject_id`;

/** Holds if an event is complete. If its message `m` is no longer kept, event `e` has no content and counts as missing. */
const IS_WHOLE = `(NOT ${IS_OF_MESSAGE} OR m.id IS NOT NULL)`;

/** Approximate memory of the texts of an event, in bytes. */
const TEXT_BYTES = `
  coalesce(octet_length(e.upstream_value), 0) + CASE WHEN ${SHOWS_TEXT} THEN coalesce(octet_length(m.body), 0) ELSE 0 END`;

/** `FACTS` for a reading that is cut by bytes, with the total number found. A window named `in_order` gives the order. */
export const MEASURED_FACTS = `
  ${FACTS}, row_number() OVER in_order AS place, sum(${TEXT_BYTES}) OVER in_order AS bytes, count(*) OVER () AS found`;

/** Returns the condition that cuts a reading: the first event, and further ones while the total stays within the parameter. */
export function withinBytes(parameter: string): string {
  return `(place = 1 OR bytes <= ${parameter})`;
}

/** Reference for a direct lookup of an event: its key, its organization, and the second in which it was written. */
export interface EventRef extends EventKey {
  organizationId: string;
  atSeconds: number;
}

/** The events of a statement, after the most bytes of its answer. */
const REFS = arrayTable<EventRef>(2)({
  organization_id: ['uuid', (ref) => ref.organizationId],
  subject_id: ['uuid', (ref) => ref.subjectId],
  sequence: ['smallint', (ref) => ref.sequence],
  at: ['timestamptz', (ref) => new Date(ref.atSeconds * 1000)],
});

/**
 * Reads events of any organizations in the order of `refs`, without missing ones: the first, and further ones while the total text stays
 * within `bytesMax`. `isAll` is true if none was cut off.
 */
export async function readEventsByRef(
  db: Queryable,
  refs: readonly EventRef[],
  bytesMax: number,
  nowMs: number,
): Promise<{ events: Event[]; isAll: boolean }> {
  const table = messageTableOf(
    refs.map((ref) => ref.subjectId),
    nowMs,
  );
  const rows = await db.query<EventRow & { found: number }>({
    name: nameFor('event_read_by_ref', table),
    text: `
      SELECT * FROM (
        SELECT ${MEASURED_FACTS}
        FROM ${REFS.from('k', 'ord')}
        JOIN event e ON e.organization_id = k.organization_id AND e.subject_id = k.subject_id AND e.sequence = k.sequence
          AND e.at >= k.at AND e.at < k.at + interval '1 second'
        ${joinsOf(table.name)}
        WHERE ${IS_WHOLE}
        WINDOW in_order AS (ORDER BY k.ord)
      ) f
      WHERE ${withinBytes('$1')}
      ORDER BY place`,
    values: [bytesMax, ...REFS.values(refs)],
  });
  return { events: rows.map(toEvent), isAll: rows.length === (rows[0]?.found ?? 0) };
}

/** The events of a statement, after their organization. */
const KEYS = arrayTable<EventKey>(2)({
  subject_id: ['uuid', (key) => key.subjectId],
  sequence: ['smallint', (key) => key.sequence],
});

/** Lists events of one organization by key, in the order of the keys; missing or expired ones are left out. */
export async function listEventsByKey(
  db: Queryable,
  organizationId: string,
  keys: readonly EventKey[],
): Promise<Event[]> {
  const rows = await db.query<EventRow>({
    name: 'event_list_by_key',
    // `OFFSET 0` forces a lookup of each key, even if the planner underestimates the size of a new day.
    text: `
      SELECT ${FACTS}
      FROM ${KEYS.from('k', 'ord')}
      CROSS JOIN LATERAL (
        SELECT * FROM event
        WHERE organization_id = $1 AND subject_id = k.subject_id AND event.sequence = k.sequence OFFSET 0
      ) e
      ${joinsOf('message')}
      WHERE ${IS_WHOLE}
      ORDER BY k.ord`,
    values: [organizationId, ...KEYS.values(keys)],
  });
  return rows.map(toEvent);
}

/** Lists all events of one message in sequence. */
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

/** Columns that determine an event's position. */
export type PositionRow = Pick<EventRow, 'xid' | 'subject_id' | 'sequence' | 'at'>;

/** Returns an event's position in the reading order. */
export function toPosition(row: PositionRow): EventPosition {
  return {
    xid: row.xid,
    subjectId: row.subject_id,
    sequence: row.sequence,
    atSeconds: Math.floor(row.at.getTime() / 1000),
  };
}

/** Converts rows of `FACTS` to events, without those whose messages are no longer kept. */
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
  const { number_id, phone_number_id, account_id, phone_number } = row;
  if (number_id === null || phone_number_id === null || account_id === null || phone_number === null) return null;
  return { numberId: number_id, phoneNumberId: phone_number_id, accountId: account_id, phoneNumber: phone_number };
}

function toMessageFacts(row: EventRow): Event['message'] {
  if (row.direction === null || row.message_type === null) return null;
  return {
    messageId: row.subject_id,
    direction: row.direction === 0 ? 'outbound' : 'inbound',
    origin: originOf(row.origin),
    messageType: row.message_type,
    contact: phoneNumberOf(row.contact),
    person: row.person,
    userId: row.user_id,
    groupId: row.group_id,
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
