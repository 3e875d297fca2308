import { isUuid, wamidDigest } from '../core/ids.ts';
import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { messageTableOf, nameFor } from '../database/days/message-tables.ts';
import { STATUS_NAMES } from './statuses/message-status.ts';

/** A message as stored, for the answers that show it. */
export interface MessageRow {
  id: string;
  account_id: string;
  sender_phone: string;
  number_id: number;
  direction: number;
  origin: number | null;
  group_id: string | null;
  contact: number | null;
  person: string | null;
  user_id: string | null;
  type: string;
  template_name: string | null;
  template_language: string | null;
  category: string | null;
  pricing_type: string | null;
  body: string;
  status: number;
  wamid: string | null;
  upstream_status: string | null;
  accepted_at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  error_code: string | null;
  error_message: string | null;
}

/** The columns of a `MessageRow`, from message `m` and its number `n`. */
export const MESSAGE_COLUMNS = `
  m.id, n.account_id, n.phone_number AS sender_phone, m.number_id, m.direction, m.origin, m.group_id, m.contact, m.person, m.user_id, m.type, m.template_name,
  m.template_language, m.category, m.pricing_type, m.body, m.status, m.wamid, m.upstream_status, m.accepted_at,
  m.sent_at, m.delivered_at, m.read_at, m.error_code, m.error_message`;

/** Joins the number of message `m` by its own id alone, because PostgreSQL may far underestimate an organization's numbers. */
export const JOIN_NUMBER = `
  JOIN LATERAL (SELECT * FROM sending_number WHERE number_id = m.number_id OFFSET 0) n ON n.organization_id = m.organization_id`;

/** Returns one message of the organization; undefined if none has this id. */
export async function findMessage(db: Queryable, organizationId: string, id: string): Promise<MessageRow | undefined> {
  const rows = await db.query<MessageRow>({
    name: 'message_find',
    text: `
      SELECT ${MESSAGE_COLUMNS}
      FROM message m ${JOIN_NUMBER}
      WHERE m.organization_id = $1 AND m.id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Returns the status of a message of the organization in words, with its error; undefined if none has this id. */
export async function findStatus(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<{ status: string; errorCode: string | null; errorMessage: string | null } | undefined> {
  const rows = await db.query<{ rank: number; errorCode: string | null; errorMessage: string | null }>({
    name: 'message_find_status',
    text: `
      SELECT status AS rank, error_code AS "errorCode", error_message AS "errorMessage"
      FROM message WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  const [row] = rows;
  return (
    row && { status: STATUS_NAMES[row.rank] ?? 'queued', errorCode: row.errorCode, errorMessage: row.errorMessage }
  );
}

/** Returns the stored body of a message of the organization; undefined if none has this id. */
export async function findBody(db: Queryable, organizationId: string, id: string): Promise<string | undefined> {
  const rows = await db.query<{ body: string }>({
    name: 'message_find_body',
    text: 'SELECT body FROM message WHERE organization_id = $1 AND id = $2',
    values: [organizationId, id],
  });
  return rows[0]?.body;
}

/** Returns the platform's id of the number of an organization's message; undefined for an unknown or malformed id. */
export async function numberOfMessage(db: Queryable, organizationId: string, id: string): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  const rows = await db.query<{ phoneNumberId: string }>({
    name: 'message_find_number',
    text: `
      SELECT coalesce(n.phone_number_id, n.former_phone_number_id) AS "phoneNumberId"
      FROM message m ${JOIN_NUMBER}
      WHERE m.organization_id = $1 AND m.id = $2`,
    values: [organizationId, id],
  });
  return rows[0]?.phoneNumberId;
}

/** Returns the id of the organization's sent or received message with this wamid; undefined if there is none. */
export async function findIdByWamid(db: Queryable, organizationId: string, wamid: string): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>({
    name: 'message_find_id_by_wamid',
    text: 'SELECT message_id AS id FROM wamid_ref WHERE organization_id = $1 AND wamid_digest = $2',
    values: [organizationId, wamidDigest(wamid)],
  });
  return rows[0]?.id;
}

/** A message that a body refers to. */
interface Referred extends Pick<MessageRow, 'wamid' | 'status'> {
  phoneNumberId: string;
}

/** Returns the organization's sent or received message with this id, for a body that refers to it; undefined if there is none. */
export async function findReferred(db: Queryable, organizationId: string, id: string): Promise<Referred | undefined> {
  const rows = await db.query<Referred>({
    name: 'message_find_referred',
    text: `
      SELECT m.wamid, m.status, coalesce(n.phone_number_id, n.former_phone_number_id) AS "phoneNumberId"
      FROM message m ${JOIN_NUMBER}
      WHERE m.organization_id = $1 AND m.id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** The stored outcome of a message's dispatch. */
export interface SettledRow {
  messageId: string;
  wamid: string | null;
  /** The `message_status` of the upstream's answer, until the upstream reports a status. */
  upstreamStatus: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** The upstream's own words, if it refused the message. */
  errorUserTitle: string | null;
  errorUserMsg: string | null;
}

interface WaitedFor {
  organizationId: string;
  messageId: string;
}

export const WAITING = arrayTable<WaitedFor>()({
  organization_id: ['uuid', (wait) => wait.organizationId],
  id: ['uuid', (wait) => wait.messageId],
});

/** Returns the stored outcomes of messages that callers wait for; omits messages still queued. */
export async function findSettled(db: Queryable, waiting: WaitedFor[], nowMs: number): Promise<SettledRow[]> {
  const table = messageTableOf(
    waiting.map((wait) => wait.messageId),
    nowMs,
  );
  return await db.query<SettledRow>({
    name: nameFor('message_find_settled', table),
    text: `
      SELECT m.id AS "messageId", m.wamid, m.upstream_status AS "upstreamStatus", m.error_code AS "errorCode",
             m.error_message AS "errorMessage", m.error_user_title AS "errorUserTitle", m.error_user_msg AS "errorUserMsg"
      FROM ${WAITING.from('w')}
      JOIN ${table.name} m USING (organization_id, id)
      WHERE m.status <> 0`,
    values: WAITING.values(waiting),
  });
}

/** A message that the upstream refused, the code, and the start of that attempt (epoch milliseconds). */
export interface RefusedMessage {
  organizationId: string;
  messageId: string;
  code: string;
  begunAtMs: number;
}

export const REFUSED = arrayTable<RefusedMessage>()({
  organization_id: ['uuid', (refused) => refused.organizationId],
  id: ['uuid', (refused) => refused.messageId],
  code: ['text', (refused) => refused.code],
  begun_at: ['timestamptz', (refused) => new Date(refused.begunAtMs)],
});

/** Returns the templates and WABAs of these messages, each once per code with its latest attempt. Messages of other types are omitted. */
export async function findRefusedTemplates(
  db: Queryable,
  refused: readonly RefusedMessage[],
  nowMs: number,
): Promise<{ organizationId: string; wabaId: string; name: string; language: string; code: string; begunAt: Date }[]> {
  const table = messageTableOf(
    refused.map(({ messageId }) => messageId),
    nowMs,
  );
  return await db.query({
    name: nameFor('message_find_refused_templates', table),
    // Joins message by message. A plan cached while the day was empty might otherwise read all of an organization's messages.
    text: `
      SELECT m.organization_id AS "organizationId", n.waba_id AS "wabaId", m.template_name AS name,
             m.template_language AS language, r.code, max(r.begun_at) AS "begunAt"
      FROM ${REFUSED.from('r')}
      CROSS JOIN LATERAL (SELECT * FROM ${table.name} m WHERE m.organization_id = r.organization_id AND m.id = r.id OFFSET 0) m
      ${JOIN_NUMBER}
      WHERE m.template_name IS NOT NULL AND m.template_language IS NOT NULL AND n.waba_id IS NOT NULL
      GROUP BY m.organization_id, n.waba_id, m.template_name, m.template_language, r.code`,
    values: REFUSED.values(refused),
  });
}
