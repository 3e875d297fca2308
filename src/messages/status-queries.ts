import { wamidDigest } from '../core/ids.ts';
import type { Queryable } from '../database/database.ts';
import { groupByMessageTable, type MessageTable, messageTableAt, nameFor } from '../database/message-tables.ts';
import { DAY_MS } from '../database/partitions.ts';
import { eventTypeNumber, TOLD_BIT } from '../events/index.ts';
import { type MergedStatus, STATUS } from './message-status.ts';

/** A status with the organization its number belongs to. */
export interface OwnedStatus extends MergedStatus {
  organizationId: string;
}

/**
 * Merges statuses into their messages as a set (spec 3.1, decisions "Status"): a later rank wins, every time keeps its
 * earliest value, `read` fills a missing delivery time, `failed` is entered from queued or sent only and is final; what
 * contradicts that changes nothing but the message's history, which keeps it. Usage follows. What is told of a person's message to us
 * changes nothing. One entry per wamid. Answers the wamids that are not known; their statuses have had no effect: see
 * `parkStatuses`.
 *
 * Every status that is told for the first time makes one event, those told together in the order of their ranks; a status the
 * upstream never told makes none, and neither does one that contradicts the message's status.
 *
 * Why it is shaped so: rows are locked in key order before they are judged, so that two batches over the same messages neither
 * deadlock nor judge by an outdated row; only rows on which something changes are written. Of which day a message is becomes known
 * by looking up its wamid. What is told of today's and yesterday's goes into one statement, because usage is locked behind all of the
 * messages that others may be writing at the same time.
 */
export async function applyStatuses(tx: Queryable, updates: OwnedStatus[], nowMs: number): Promise<Set<string>> {
  const recent = [messageTableAt(nowMs - DAY_MS, nowMs), messageTableAt(nowMs, nowMs)];
  const left = await applyToTables(tx, recent, updates);
  const messageIdOf = new Map(left.map(({ wamid, messageId }) => [wamid, messageId]));
  const elsewhere = updates.filter(({ wamid }) => messageIdOf.get(wamid) != null);
  for (const { table, items } of groupByMessageTable(elsewhere, ({ wamid }) => messageIdOf.get(wamid) ?? '', nowMs)) {
    await applyToTables(tx, [table], items);
  }
  return new Set(left.filter(({ messageId }) => messageId === null).map(({ wamid }) => wamid));
}

/** Applies those about messages of these tables, which follow each other. Answers the others, with the message where one is known. */
async function applyToTables(
  tx: Queryable,
  tables: readonly MessageTable[],
  updates: OwnedStatus[],
): Promise<{ wamid: string; messageId: string | null }[]> {
  return await tx.query<{ wamid: string; messageId: string | null }>({
    name: nameFor('message_apply_statuses', ...tables),
    text: applyTo(tables),
    values: [...statusValues(updates), tables.at(0)?.fromId, tables.at(-1)?.toId],
  });
}

const STATUS_COLUMNS =
  'wamid_digest, wamid, organization_id, phone_number_id, contact, sent_at, delivered_at, read_at, failed_at, error_code, error_message, category, pricing_type, callback_data, sent_value, delivered_value, read_value, failed_value';
const STATUS_INPUT = `unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[],
  $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
  $15::text[], $16::text[], $17::text[], $18::text[]) AS u(${STATUS_COLUMNS})`;

/** CTEs of the same kind, one for each table, and one of this name with the rows of all. */
function forEachOf(tables: readonly MessageTable[], name: string, cte: (messages: string) => string): string {
  const parts = tables.map((table, index) => `${name}_${index} AS ${cte(table.name)},`);
  return `${parts.join('\n')} ${name} AS (${tables.map((_, index) => `SELECT * FROM ${name}_${index}`).join(' UNION ALL ')})`;
}

const applyTo = (tables: readonly MessageTable[]) => `
  WITH target AS MATERIALIZED (
    SELECT u.*, r.message_id
    FROM ${STATUS_INPUT}
    LEFT JOIN wamid_ref r ON r.wamid_digest = u.wamid_digest AND r.organization_id = u.organization_id
    ORDER BY r.organization_id, r.message_id
  ),
  ${forEachOf(
    tables,
    'locked',
    (messages) => `MATERIALIZED (
    SELECT t.organization_id, t.message_id AS id, t.wamid, m.status AS old_status, m.category AS old_category,
           m.pricing_type AS old_pricing, m.price_micros, m.accepted_at, m.delivered_at AS old_delivered_at,
           least(m.sent_at, t.sent_at) AS sent_at,
           CASE WHEN m.status = ${STATUS.failed} THEN m.delivered_at
                ELSE least(m.delivered_at, t.delivered_at,
                           CASE WHEN coalesce(m.delivered_at, t.delivered_at) IS NULL THEN t.read_at END) END AS delivered_at,
           CASE WHEN m.status = ${STATUS.failed} THEN m.read_at ELSE least(m.read_at, t.read_at) END AS read_at,
           least(m.failed_at, t.failed_at) AS failed_at,
           coalesce(t.category, m.category) AS category,
           coalesce(t.pricing_type, m.pricing_type) AS pricing_type,
           t.failed_at AS told_failed_at, t.error_code, t.error_message,
           CASE WHEN t.read_at IS NOT NULL THEN ${STATUS.read} WHEN t.delivered_at IS NOT NULL THEN ${STATUS.delivered}
                WHEN t.sent_at IS NOT NULL THEN ${STATUS.sent} ELSE ${STATUS.queued} END AS told,
           m.sent_at AS old_sent_at, m.read_at AS old_read_at, m.failed_at AS old_failed_at,
           t.sent_at AS told_sent_at, t.delivered_at AS told_delivered_at, t.read_at AS told_read_at,
           t.sent_value, t.delivered_value, t.read_value, t.failed_value,
           m.number_id, m.told AS old_told, m.event_count AS old_event_count, m.event_xid AS old_event_xid,
           coalesce(m.history, '[]') AS old_history
    FROM target t
    JOIN ${messages} m ON m.organization_id = t.organization_id AND m.id = t.message_id AND m.direction = 0
    FOR NO KEY UPDATE OF m
  )`,
  )},
  ranked AS MATERIALIZED (
    SELECT l.*,
           CASE WHEN old_status = ${STATUS.failed} THEN ${STATUS.failed}
                WHEN told_failed_at IS NOT NULL AND greatest(old_status, told) <= ${STATUS.sent} THEN ${STATUS.failed}
                ELSE greatest(old_status, told) END AS new_status,
           (old_status = ${STATUS.failed} AND told >= ${STATUS.delivered}
             OR told_failed_at IS NOT NULL AND greatest(old_status, told) BETWEEN ${STATUS.delivered} AND ${STATUS.read}) AS contradicts
    FROM locked l
  ),
  judged AS MATERIALIZED (
    SELECT r.*, n.news, h.history, greatest(old_event_xid, pg_current_xact_id()) AS event_xid
    FROM ranked r
    CROSS JOIN LATERAL (
      SELECT jsonb_build_array(jsonb_build_object('status', old_status, 'told', told, 'delivered_at', told_delivered_at,
               'read_at', told_read_at, 'failed_at', told_failed_at, 'error_code', r.error_code)) AS entry
    ) c
    CROSS JOIN LATERAL (
      SELECT CASE WHEN contradicts AND NOT old_history @> c.entry THEN old_history || c.entry ELSE old_history END AS history
    ) h
    CROSS JOIN LATERAL (SELECT ((
      CASE WHEN told_sent_at IS NOT NULL AND old_status <> ${STATUS.failed} THEN ${TOLD_BIT.sent} ELSE 0 END
      | CASE WHEN told_delivered_at IS NOT NULL AND new_status <> ${STATUS.failed} THEN ${TOLD_BIT.delivered} ELSE 0 END
      | CASE WHEN told_read_at IS NOT NULL AND new_status <> ${STATUS.failed} THEN ${TOLD_BIT.read} ELSE 0 END
      | CASE WHEN old_status <> ${STATUS.failed} AND new_status = ${STATUS.failed} THEN ${TOLD_BIT.failed} ELSE 0 END
    ) & ~old_told::int) AS news) n
    WHERE (r.sent_at, r.delivered_at, r.read_at, r.failed_at, r.category, r.pricing_type) IS DISTINCT FROM
          (old_sent_at, old_delivered_at, old_read_at, old_failed_at, old_category, old_pricing)
       OR told > old_status OR n.news <> 0 OR h.history <> old_history
  ),
  ${forEachOf(
    tables,
    'changed',
    (messages) => `(
    UPDATE ${messages} m
    SET status = j.new_status, sent_at = j.sent_at, delivered_at = j.delivered_at, read_at = j.read_at, failed_at = j.failed_at,
        category = j.category, pricing_type = j.pricing_type, told = j.old_told | j.news,
        event_count = j.old_event_count + bit_count(j.news::bit(4)),
        event_xid = CASE WHEN j.news = 0 THEN j.old_event_xid ELSE j.event_xid END,
        error_code = CASE WHEN j.new_status = ${STATUS.failed} AND j.old_status <> ${STATUS.failed} THEN j.error_code ELSE m.error_code END,
        error_message = CASE WHEN j.new_status = ${STATUS.failed} AND j.old_status <> ${STATUS.failed} THEN j.error_message ELSE m.error_message END,
        history = nullif(j.history, '[]')
    FROM judged j
    WHERE m.organization_id = j.organization_id AND m.id = j.id
    RETURNING j.*
  )`,
  )},
  event_row AS (
    INSERT INTO event (organization_id, subject_id, xid, number_id, type, sequence, occurred_at, category, pricing_type,
                       error_code, error_message, upstream_field, upstream_value)
    SELECT organization_id, id, event_xid, number_id, t.type, old_event_count + bit_count((news & (2 * t.bit - 1))::bit(4)),
           t.at, category, pricing_type, t.error_code, t.error_message, CASE WHEN t.value IS NOT NULL THEN 'messages' END, t.value
    FROM changed, LATERAL (VALUES
      (${TOLD_BIT.sent}, ${eventTypeNumber('message.sent')}, told_sent_at, NULL, NULL, sent_value),
      (${TOLD_BIT.delivered}, ${eventTypeNumber('message.delivered')}, told_delivered_at, NULL, NULL, delivered_value),
      (${TOLD_BIT.read}, ${eventTypeNumber('message.read')}, told_read_at, NULL, NULL, read_value),
      (${TOLD_BIT.failed}, ${eventTypeNumber('message.failed')}, told_failed_at, changed.error_code, changed.error_message, failed_value)
    ) AS t(bit, type, at, error_code, error_message, value)
    WHERE news & t.bit <> 0
  ),
  counted AS (
    INSERT INTO usage_counter (organization_id, month, metric, value)
    SELECT organization_id, month, metric, sum(amount)
    FROM (
      -- Counted before they are spread over metrics: most messages of a set are alike.
      SELECT organization_id, date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date AS month, count(*) AS messages,
             count(*) FILTER (WHERE old_status = ${STATUS.queued} AND new_status BETWEEN ${STATUS.sent} AND ${STATUS.read}) AS sent,
             count(*) FILTER (WHERE old_delivered_at IS NULL AND delivered_at IS NOT NULL) AS delivered,
             count(*) FILTER (WHERE old_status <> ${STATUS.failed} AND new_status = ${STATUS.failed}) AS failed,
             sum(price_micros) FILTER (WHERE old_status <> ${STATUS.failed} AND new_status = ${STATUS.failed}) AS refunded,
             CASE WHEN category IS DISTINCT FROM old_category THEN old_category END AS category_left,
             CASE WHEN category IS DISTINCT FROM old_category THEN category END AS category_entered,
             CASE WHEN pricing_type IS DISTINCT FROM old_pricing THEN old_pricing END AS pricing_left,
             CASE WHEN pricing_type IS DISTINCT FROM old_pricing THEN pricing_type END AS pricing_entered
      FROM changed
      GROUP BY organization_id, month, category_left, category_entered, pricing_left, pricing_entered
    ) alike, LATERAL (VALUES
      ('sent', sent), ('delivered', delivered), ('failed', failed), ('spent_micros', -refunded),
      ('category:' || category_left, -messages), ('category:' || category_entered, messages),
      ('pricing:' || pricing_left, -messages), ('pricing:' || pricing_entered, messages)
    ) AS c(metric, amount)
    WHERE metric IS NOT NULL AND amount <> 0
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, month, metric) DO UPDATE SET value = usage_counter.value + excluded.value
  )
  SELECT wamid, message_id AS "messageId" FROM target
  WHERE message_id IS NULL OR message_id < $19::uuid OR message_id >= $20::uuid`;

/**
 * Keeps statuses whose wamid `applyStatuses` did not know, merged per wamid, until the send that made it is recorded (decisions
 * "Status"). That may have happened since; asking again here would lose the status between the two questions, so
 * what `listRecordedEarly` finds afterwards closes the gap.
 */
export async function parkStatuses(tx: Queryable, updates: OwnedStatus[], nowMs: number): Promise<void> {
  await tx.query({
    name: 'early_status_park',
    text: `
      INSERT INTO early_status (${STATUS_COLUMNS.replace('organization_id, ', '')}, received_at)
      SELECT ${STATUS_COLUMNS.replace('organization_id, ', '')}, $19
      FROM ${STATUS_INPUT}
      ORDER BY wamid_digest
      ON CONFLICT (wamid_digest) DO UPDATE SET
        sent_at = least(early_status.sent_at, excluded.sent_at),
        delivered_at = least(early_status.delivered_at, excluded.delivered_at),
        read_at = least(early_status.read_at, excluded.read_at),
        failed_at = least(early_status.failed_at, excluded.failed_at),
        error_code = coalesce(early_status.error_code, excluded.error_code),
        error_message = coalesce(early_status.error_message, excluded.error_message),
        category = coalesce(excluded.category, early_status.category),
        pricing_type = coalesce(excluded.pricing_type, early_status.pricing_type),
        sent_value = coalesce(early_status.sent_value, excluded.sent_value),
        delivered_value = coalesce(early_status.delivered_value, excluded.delivered_value),
        read_value = coalesce(early_status.read_value, excluded.read_value),
        failed_value = coalesce(early_status.failed_value, excluded.failed_value)`,
    values: [...statusValues(updates), new Date(nowMs)],
  });
}

/** Deletes parked statuses received before `beforeMs` (epoch ms), at most `limit`. Answers how many. */
export async function deleteEarlyStatuses(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const rows = await db.query({
    name: 'early_status_expire',
    text: `
      DELETE FROM early_status WHERE wamid_digest = ANY (ARRAY(
        SELECT wamid_digest FROM early_status WHERE received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )) RETURNING 1`,
    values: [new Date(beforeMs), limit],
  });
  return rows.length;
}

/**
 * Takes out the parked statuses of these wamids, by their digests, that have been recorded since; the caller applies them in the same
 * transaction. One that is being parked again at this moment is left out.
 */
export async function takeEarlyStatuses(tx: Queryable, wamidDigests: readonly string[]): Promise<OwnedStatus[]> {
  const rows = await tx.query<Record<string, unknown> & EarlyStatusRow>({
    name: 'early_status_take',
    text: `
      DELETE FROM early_status e
      USING (
        SELECT e.wamid_digest, r.organization_id
        FROM unnest($1::uuid[]) AS d(wamid_digest) JOIN early_status e USING (wamid_digest) JOIN wamid_ref r USING (wamid_digest)
        ORDER BY e.wamid_digest
        FOR UPDATE OF e SKIP LOCKED
      ) t
      WHERE e.wamid_digest = t.wamid_digest
      RETURNING e.*, t.organization_id`,
    values: [wamidDigests],
  });
  return rows.map(toOwnedStatus);
}

/** A parked status's place in the order in which they came. */
export interface EarlyPlace {
  receivedAtMs: number;
  wamidDigest: string;
}

/** Some of the parked statuses, by the digests of their wamids, and where to go on; undefined at the end. */
export interface EarlyPage {
  wamidDigests: string[];
  next: EarlyPlace | undefined;
}

/**
 * Which of the next `lookedAtMax` parked statuses after a place have had their wamids recorded since. However many speak of messages
 * sent elsewhere, which stay for days, a call looks at so many and no more.
 */
export async function listRecordedEarly(db: Queryable, after: EarlyPlace, lookedAtMax: number): Promise<EarlyPage> {
  const rows = await db.query<{ received_at: Date; wamid_digest: string; is_recorded: boolean; looked_at: number }>({
    name: 'early_status_list_recorded',
    text: `
      SELECT * FROM (
        SELECT e.received_at, e.wamid_digest, EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = e.wamid_digest) AS is_recorded,
               row_number() OVER (ORDER BY e.received_at, e.wamid_digest) AS looked_at
        FROM (
          SELECT received_at, wamid_digest FROM early_status
          WHERE received_at >= $1 AND (received_at, wamid_digest) > ($1, $2)
          ORDER BY received_at, wamid_digest LIMIT $3
        ) e
      ) l
      WHERE is_recorded OR looked_at = $3
      ORDER BY looked_at`,
    values: [new Date(after.receivedAtMs), after.wamidDigest, lookedAtMax],
  });
  const last = rows.at(-1);
  return {
    wamidDigests: rows.filter((row) => row.is_recorded).map((row) => row.wamid_digest),
    next:
      last?.looked_at === lookedAtMax
        ? { receivedAtMs: last.received_at.getTime(), wamidDigest: last.wamid_digest }
        : undefined,
  };
}

interface EarlyStatusRow {
  organization_id: string;
  wamid: string;
  phone_number_id: string;
  contact: number | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  category: string | null;
  pricing_type: string | null;
  callback_data: string | null;
  sent_value: string | null;
  delivered_value: string | null;
  read_value: string | null;
  failed_value: string | null;
}

function toOwnedStatus(row: EarlyStatusRow): OwnedStatus {
  return {
    organizationId: row.organization_id,
    wamid: row.wamid,
    phoneNumberId: row.phone_number_id,
    contact: row.contact === null ? undefined : String(row.contact),
    sentAtMs: row.sent_at?.getTime(),
    deliveredAtMs: row.delivered_at?.getTime(),
    readAtMs: row.read_at?.getTime(),
    failedAtMs: row.failed_at?.getTime(),
    errorCode: row.error_code ?? undefined,
    errorMessage: row.error_message ?? undefined,
    category: row.category ?? undefined,
    pricingType: row.pricing_type ?? undefined,
    callbackData: row.callback_data ?? undefined,
    sentValue: row.sent_value ?? undefined,
    deliveredValue: row.delivered_value ?? undefined,
    readValue: row.read_value ?? undefined,
    failedValue: row.failed_value ?? undefined,
  };
}

function statusValues(updates: OwnedStatus[]): unknown[] {
  const at = (epochMs: number | undefined) => (epochMs === undefined ? null : new Date(epochMs));
  return [
    updates.map((update) => wamidDigest(update.wamid)),
    updates.map((update) => update.wamid),
    updates.map((update) => update.organizationId),
    updates.map((update) => update.phoneNumberId),
    updates.map((update) => update.contact),
    updates.map((update) => at(update.sentAtMs)),
    updates.map((update) => at(update.deliveredAtMs)),
    updates.map((update) => at(update.readAtMs)),
    updates.map((update) => at(update.failedAtMs)),
    updates.map((update) => update.errorCode),
    updates.map((update) => update.errorMessage),
    updates.map((update) => update.category),
    updates.map((update) => update.pricingType),
    updates.map((update) => update.callbackData),
    updates.map((update) => update.sentValue),
    updates.map((update) => update.deliveredValue),
    updates.map((update) => update.readValue),
    updates.map((update) => update.failedValue),
  ];
}
