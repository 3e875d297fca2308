import { wamidDigest } from '../core/ids.ts';
import { arrayRows } from '../database/batching/array-rows.ts';
import type { Queryable } from '../database/database.ts';
import { messageTableOf, nameFor } from '../database/days/message-tables.ts';
import { eventTypeNumber } from '../events/index.ts';
import { addUsage, billingMonth } from '../organizations/index.ts';

/** A message ready to be stored, with every decision of its acceptance. */
export interface AcceptedMessage {
  id: string;
  organizationId: string;
  numberId: number;
  shard: number;
  flowId: number;
  contact: string;
  recipient: string;
  type: string;
  templateName: string | undefined;
  templateLanguage: string | undefined;
  category: string;
  priceMicros: number;
  body: string;
  callbackData: string | undefined;
  apiKeyId: string;
  idempotency: { keyDigest: string; fingerprint: string } | undefined;
  expiresAtMs: number;
  /** W3C trace context that the dispatch belongs to. */
  traceparent: string | undefined;
}

export interface AcceptScope {
  /** The accepting process, stored in the queue row so that it need not discover its own rows. */
  nodeId: string;
  nowMs: number;
}

/**
 * Accepts a batch in one statement and therefore one commit: claims the idempotency keys, stores messages, queue rows and events, and
 * counts usage. Returns the queue's sequence number per stored message. A message without a number is a replay: an earlier message, of an
 * earlier call or of this batch, holds its key.
 *
 * The claims decide which messages are stored, so every other part reads from `stored`, never from the input. Queue rows are inserted in
 * the given order, because `seq` is the order of a recipient's messages. Counters are locked in key order; without this, two batches could
 * deadlock.
 */
export async function insertAccepted(
  db: Queryable,
  scope: AcceptScope,
  batch: AcceptedMessage[],
): Promise<Map<string, number>> {
  const keyed = batch.some((message) => message.idempotency !== undefined);
  const rows = await db.query<{ message_id: string; seq: number }>({
    name: keyed ? 'message_accept_keyed' : 'message_accept',
    text: keyed ? ACCEPT_KEYED : ACCEPT,
    values: acceptValues(scope, batch, keyed),
  });
  return new Map(rows.map((row) => [row.message_id, row.seq]));
}

const INPUT = `id uuid, organization_id uuid, number_id int, shard smallint, flow_id int, contact bigint, recipient bigint, type text,
  template_name text, template_language text, category text, price_micros bigint, body text, callback_data text, api_key_id uuid,
  expires_at timestamptz, traceparent text`;

const STORE = `
  message_row AS (
    INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, template_language, category,
                         price_micros, body, callback_data, api_key_id, status, accepted_at)
    SELECT organization_id, id, number_id, 0, recipient, type, template_name, template_language, category,
           price_micros, body, callback_data, api_key_id, 0, $2
    FROM stored
  ),
  event_row AS (
    INSERT INTO event (organization_id, subject_id, number_id, type, sequence, occurred_at, category)
    SELECT organization_id, id, number_id, ${eventTypeNumber('message.queued')}, 1, $2, category FROM stored
  ),
  usage_row AS (
    ${addUsage(`
      SELECT organization_id, $3::date AS month, metric, amount
      FROM stored, LATERAL (VALUES ('accepted', 1), ('category:' || category, 1), ('spent_micros', price_micros)) AS c(metric, amount)`)}
  )
  INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at, traceparent)
  SELECT shard, number_id, flow_id, contact, $1, id, $2, expires_at, traceparent FROM stored ORDER BY ord
  RETURNING message_id, seq`;

const ACCEPT = `
  WITH stored AS MATERIALIZED (${arrayRows(INPUT, 4, 'ord')}), ${STORE}`;

const ACCEPT_KEYED = `
  WITH input AS MATERIALIZED (${arrayRows(`${INPUT}, key_digest uuid, fingerprint uuid`, 4, 'ord')}),
  claimed AS (
    INSERT INTO idempotency_key (organization_id, number_id, key_digest, fingerprint, message_id, created_at)
    SELECT organization_id, number_id, key_digest, fingerprint, id, $2
    FROM input WHERE key_digest IS NOT NULL
    ORDER BY organization_id, number_id, key_digest, ord
    ON CONFLICT DO NOTHING
    RETURNING message_id
  ),
  stored AS MATERIALIZED (
    SELECT * FROM input WHERE key_digest IS NULL OR id IN (SELECT message_id FROM claimed)
  ), ${STORE}`;

function acceptValues(scope: AcceptScope, batch: AcceptedMessage[], keyed: boolean): unknown[] {
  const column = <Value>(read: (message: AcceptedMessage) => Value) => batch.map(read);
  const values: unknown[] = [
    scope.nodeId,
    new Date(scope.nowMs),
    billingMonth(scope.nowMs),
    column((message) => message.id),
    column((message) => message.organizationId),
    column((message) => message.numberId),
    column((message) => message.shard),
    column((message) => message.flowId),
    column((message) => message.contact),
    column((message) => message.recipient),
    column((message) => message.type),
    column((message) => message.templateName),
    column((message) => message.templateLanguage),
    column((message) => message.category),
    column((message) => message.priceMicros),
    column((message) => message.body),
    column((message) => message.callbackData),
    column((message) => message.apiKeyId),
    column((message) => new Date(message.expiresAtMs)),
    column((message) => message.traceparent),
  ];
  if (keyed) {
    values.push(
      column((message) => message.idempotency?.keyDigest),
      column((message) => message.idempotency?.fingerprint),
    );
  }
  return values;
}

/** Returns the ids of the batch's messages that exist. Used after a broken connection left the commit in doubt. */
export async function findStored(db: Queryable, batch: AcceptedMessage[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>({
    name: 'message_find_stored',
    text: `
      SELECT m.id FROM unnest($1::uuid[], $2::uuid[]) AS a(organization_id, id)
      JOIN message m USING (organization_id, id)`,
    values: [batch.map((message) => message.organizationId), batch.map((message) => message.id)],
  });
  return new Set(rows.map((row) => row.id));
}

/** A message as stored, for the answers that show it. */
export interface MessageRow {
  id: string;
  account_id: string;
  sender_phone: string;
  number_id: number;
  direction: number;
  contact: number | null;
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
  m.id, n.account_id, n.phone_number AS sender_phone, m.number_id, m.direction, m.contact, m.type, m.template_name,
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

/** Returns the id of the organization's sent or received message with this wamid; undefined if there is none. */
export async function findIdByWamid(db: Queryable, organizationId: string, wamid: string): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>({
    name: 'message_find_id_by_wamid',
    text: 'SELECT message_id AS id FROM wamid_ref WHERE organization_id = $1 AND wamid_digest = $2',
    values: [organizationId, wamidDigest(wamid)],
  });
  return rows[0]?.id;
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

/** Returns the stored outcomes of messages that callers wait for; omits messages still queued. */
export async function findSettled(
  db: Queryable,
  waiting: { organizationId: string; messageId: string }[],
  nowMs: number,
): Promise<SettledRow[]> {
  const messageIds = waiting.map((wait) => wait.messageId);
  const table = messageTableOf(messageIds, nowMs);
  return await db.query<SettledRow>({
    name: nameFor('message_find_settled', table),
    text: `
      SELECT m.id AS "messageId", m.wamid, m.upstream_status AS "upstreamStatus", m.error_code AS "errorCode",
             m.error_message AS "errorMessage", m.error_user_title AS "errorUserTitle", m.error_user_msg AS "errorUserMsg"
      FROM unnest($1::uuid[], $2::uuid[]) AS w(organization_id, id)
      JOIN ${table.name} m USING (organization_id, id)
      WHERE m.status <> 0`,
    values: [waiting.map((wait) => wait.organizationId), messageIds],
  });
}

/** A message that the upstream refused, the code, and the start of that attempt (epoch milliseconds). */
export interface RefusedMessage {
  organizationId: string;
  messageId: string;
  code: string;
  begunAtMs: number;
}

/** Returns the templates and WABAs of these messages, each once per code with its latest attempt. Messages of other types are omitted. */
export async function findRefusedTemplates(
  db: Queryable,
  refused: readonly RefusedMessage[],
  nowMs: number,
): Promise<{ organizationId: string; wabaId: string; name: string; language: string; code: string; begunAt: Date }[]> {
  const messageIds = refused.map(({ messageId }) => messageId);
  const table = messageTableOf(messageIds, nowMs);
  return await db.query({
    name: nameFor('message_find_refused_templates', table),
    // Joins message by message. A plan cached while the day was empty might otherwise read all of an organization's messages.
    text: `
      SELECT m.organization_id AS "organizationId", n.waba_id AS "wabaId", m.template_name AS name,
             m.template_language AS language, r.code, max(r.begun_at) AS "begunAt"
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) AS r(organization_id, id, code, begun_at)
      CROSS JOIN LATERAL (SELECT * FROM ${table.name} m WHERE m.organization_id = r.organization_id AND m.id = r.id OFFSET 0) m
      ${JOIN_NUMBER}
      WHERE m.template_name IS NOT NULL AND m.template_language IS NOT NULL AND n.waba_id IS NOT NULL
      GROUP BY m.organization_id, n.waba_id, m.template_name, m.template_language, r.code`,
    values: [
      refused.map(({ organizationId }) => organizationId),
      messageIds,
      refused.map(({ code }) => code),
      refused.map(({ begunAtMs }) => new Date(begunAtMs)),
    ],
  });
}
