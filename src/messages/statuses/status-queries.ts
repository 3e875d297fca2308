import { wamidDigest } from '../../core/ids.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { groupByMessageTable, type MessageTable, messageTableAt, nameFor } from '../../database/days/message-tables.ts';
import { DAY_MS } from '../../database/days/partitions.ts';
import { addEvents, eventTypeNumber, TOLD_BIT, TOLD_ERASED } from '../../events/index.ts';
import { addUsage, billingMonthSql, countUsage, metricRows, type UsageAmount } from '../../organizations/index.ts';
import { STATUS } from './message-status.ts';
import { chargesOf, settledPrice } from './settlement-queries.ts';
import { type OwnedStatus, STATUSES } from './status-input.ts';

/**
 * Merges statuses into their messages as a set (api-rules#status), one entry per wamid. Returns the unknown wamids; their statuses had no
 * effect (see `parkStatuses`).
 *
 * - A later rank wins, and every time keeps its earliest value.
 * - `read` fills a missing delivery time.
 * - `failed` follows only `queued` or `sent` and is final. A contradicting status changes only the message's history.
 * - Usage follows the status, except of messages that the gateway did not send. A status of an inbound message changes nothing.
 * - Category and pricing type are those of the highest status that reported any. They settle the price (see `settledPrice`), and a delivered
 *   message with a pricing type is charged in the ledger.
 * - Any status clears `upstream_status`, the word in the answer to the send.
 *
 * Every status reported for the first time creates one event; statuses of one call in the order of their ranks. A status that was only
 * inferred creates none, and neither does a contradicting one.
 *
 * Rows are locked in key order before they are judged. Without this, two batches over the same messages could deadlock or judge an outdated
 * row. Only rows that change are written.
 * The lookup of a wamid shows the day of its message. One statement covers today's and yesterday's messages, as of `nowMs` (epoch ms).
 * If there are more, a last statement of its own counts the usage. All writers of an organization share its usage rows, so they are locked
 * once, last, and in key order. Therefore `tx` must be a transaction.
 */
export async function applyStatuses(tx: Queryable, updates: OwnedStatus[], nowMs: number): Promise<Set<string>> {
  const recent = [messageTableAt(nowMs - DAY_MS, nowMs), messageTableAt(nowMs, nowMs)];
  const sets = inSets(updates);
  const unknown = new Set<string>();
  const uncounted: UsageAmount[] = [];
  for (const set of sets) {
    const applied = await applyToTables(tx, recent, set, { countsUsage: sets.length === 1 });
    uncounted.push(...applied.uncounted);
    if (applied.left.length === 0) continue;
    const messageIdOf = new Map(applied.left.map(({ wamidDigest, messageId }) => [wamidDigest, messageId]));
    const left = set.map((status) => ({ status, messageId: messageIdOf.get(wamidDigest(status.wamid)) }));
    for (const { status, messageId } of left) if (messageId === null) unknown.add(status.wamid);
    const elsewhere = left.filter(({ messageId }) => messageId != null);
    for (const { table, items } of groupByMessageTable(elsewhere, ({ messageId }) => messageId ?? '', nowMs)) {
      uncounted.push(
        ...(
          await applyToTables(
            tx,
            [table],
            items.map(({ status }) => status),
            { countsUsage: false },
          )
        ).uncounted,
      );
    }
  }
  if (uncounted.length > 0) await countUsage(tx, uncounted);
  return unknown;
}

interface Applied {
  /** Statuses of messages in other tables, with the message's id if known. */
  left: { wamidDigest: string; messageId: string | null }[];
  /** Usage that remains to be counted. */
  uncounted: UsageAmount[];
}

type AppliedRow =
  | { wamidDigest: string; messageId: string | null; metric?: null }
  | (UsageAmount & { wamidDigest: null });

/**
 * Applies the statuses of messages in these consecutive tables. Counts usage only if `countsUsage` is set and all known messages are in
 * these tables.
 */
async function applyToTables(
  tx: Queryable,
  tables: readonly MessageTable[],
  updates: OwnedStatus[],
  { countsUsage }: { countsUsage: boolean },
): Promise<Applied> {
  const rows = await tx.query<AppliedRow>({
    name: nameFor('message_apply_statuses', ...tables),
    text: applyTo(tables),
    values: [...STATUSES.values(updates), tables.at(0)?.fromId, tables.at(-1)?.toId, countsUsage],
  });
  return {
    left: rows.filter((row) => row.wamidDigest !== null),
    uncounted: rows.filter((row) => row.wamidDigest === null),
  };
}

/** Returns one CTE per table, and a CTE called `name` with the rows of all. */
function forEachOf(tables: readonly MessageTable[], name: string, cte: (table: MessageTable) => string): string {
  const parts = tables.map((table, index) => `${name}_${index} AS ${cte(table)},`);
  return `${parts.join('\n')} ${name} AS (${tables.map((_, index) => `SELECT * FROM ${name}_${index}`).join(' UNION ALL ')})`;
}

/** Holds if the status reports a price, and no status of a higher rank has reported another. */
const IS_PRICED = '(coalesce(t.category, t.pricing_type) IS NOT NULL AND t.pricing_rank >= m.pricing_rank)';

/** Holds for the ids of a table's messages. Without it, every message is looked up in every table. */
const isIn = ({ fromId, toId }: MessageTable, id: string) => `${id} >= '${fromId}' AND ${id} < '${toId}'`;

const lockIn = (table: MessageTable) => `MATERIALIZED (
    SELECT t.organization_id, t.message_id AS id, m.status AS old_status, m.upstream_status, m.category AS old_category,
           m.pricing_type AS old_pricing, m.pricing_rank AS old_pricing_rank, m.price_micros AS old_price, m.origin, m.accepted_at,
           m.country, m.prices, m.api_key_id, m.template_name, m.delivered_at AS old_delivered_at,
           least(m.sent_at, t.sent_at) AS sent_at,
           CASE WHEN m.status = ${STATUS.failed} THEN m.delivered_at
                ELSE least(m.delivered_at, t.delivered_at,
                           CASE WHEN coalesce(m.delivered_at, t.delivered_at) IS NULL THEN t.read_at END) END AS delivered_at,
           CASE WHEN m.status = ${STATUS.failed} THEN m.read_at ELSE least(m.read_at, t.read_at) END AS read_at,
           least(m.failed_at, t.failed_at) AS failed_at,
           CASE WHEN ${IS_PRICED} THEN coalesce(t.category, m.category) ELSE m.category END AS category,
           CASE WHEN ${IS_PRICED} THEN coalesce(t.pricing_type, m.pricing_type) ELSE m.pricing_type END AS pricing_type,
           CASE WHEN ${IS_PRICED} THEN t.pricing_rank ELSE m.pricing_rank END AS pricing_rank,
           t.failed_at AS told_failed_at, t.error_code, t.error_message,
           CASE WHEN t.read_at IS NOT NULL THEN ${STATUS.read} WHEN t.delivered_at IS NOT NULL THEN ${STATUS.delivered}
                WHEN t.sent_at IS NOT NULL THEN ${STATUS.sent} ELSE ${STATUS.queued} END AS told,
           m.sent_at AS old_sent_at, m.read_at AS old_read_at, m.failed_at AS old_failed_at,
           t.sent_at AS told_sent_at, t.delivered_at AS told_delivered_at, t.read_at AS told_read_at,
           t.sent_value, t.delivered_value, t.read_value, t.failed_value,
           m.number_id, m.told AS old_told, m.event_count AS old_event_count, m.event_xid AS old_event_xid,
           coalesce(m.history, '[]') AS old_history, CASE WHEN m.told = ${TOLD_ERASED} THEN NULL ELSE coalesce(m.user_id, t.user_id) END AS user_id, m.user_id AS old_user_id
    FROM target t
    JOIN ${table.name} m ON m.organization_id = t.organization_id AND m.id = t.message_id AND m.direction = 0
    WHERE ${isIn(table, 't.message_id')}
    FOR NO KEY UPDATE OF m
  )`;

const changeIn = (table: MessageTable) => `(
    UPDATE ${table.name} m
    SET status = j.new_status, upstream_status = NULL, sent_at = j.sent_at, delivered_at = j.delivered_at, read_at = j.read_at,
        failed_at = j.failed_at, category = j.category, pricing_type = j.pricing_type, pricing_rank = j.pricing_rank,
        price_micros = j.price, user_id = j.user_id,
        user_id_sequence = CASE WHEN j.old_user_id IS NULL AND j.user_id IS NOT NULL THEN j.old_event_count + 1 ELSE m.user_id_sequence END,
        told = j.old_told | j.news,
        event_count = j.old_event_count + bit_count(j.news::bit(4)),
        event_xid = CASE WHEN j.news = 0 THEN j.old_event_xid ELSE j.event_xid END,
        error_code = CASE WHEN j.new_status = ${STATUS.failed} AND j.old_status <> ${STATUS.failed} THEN j.error_code ELSE m.error_code END,
        error_message = CASE WHEN j.new_status = ${STATUS.failed} AND j.old_status <> ${STATUS.failed} THEN j.error_message ELSE m.error_message END,
        history = nullif(j.history, '[]')
    FROM judged j
    WHERE m.organization_id = j.organization_id AND m.id = j.id AND ${isIn(table, 'j.id')}
    RETURNING j.*
  )`;

const [FROM_ID, TO_ID, COUNTS_USAGE] = [`$${STATUSES.next}`, `$${STATUSES.next + 1}`, `$${STATUSES.next + 2}`];
const IS_ELSEWHERE = `(message_id < ${FROM_ID}::uuid OR message_id >= ${TO_ID}::uuid)`;
const IS_COUNTED = `${COUNTS_USAGE}::boolean AND NOT EXISTS (SELECT FROM target WHERE ${IS_ELSEWHERE})`;

/** The bit of each status, and the type of its event. */
const REPORTED_EVENTS = `
  (${TOLD_BIT.sent}, ${eventTypeNumber('message.sent')}), (${TOLD_BIT.delivered}, ${eventTypeNumber('message.delivered')}),
  (${TOLD_BIT.read}, ${eventTypeNumber('message.read')}), (${TOLD_BIT.failed}, ${eventTypeNumber('message.failed')})`;

/** Returns the SQL that picks the column of an event's status. */
const ofStatus = (sent: string, delivered: string, read: string, failed: string) =>
  `CASE t.bit WHEN ${TOLD_BIT.sent} THEN ${sent} WHEN ${TOLD_BIT.delivered} THEN ${delivered} WHEN ${TOLD_BIT.read} THEN ${read} ELSE ${failed} END`;
const REPORTED_VALUE = ofStatus('sent_value', 'delivered_value', 'read_value', 'failed_value');

/** The list of events holds constants only: PostgreSQL prepares the expressions of a lateral list again for each message. */
const RECORD_EVENTS = addEvents(`changed JOIN (VALUES ${REPORTED_EVENTS}) AS t (bit, type) ON news & t.bit <> 0`, {
  organization_id: 'organization_id',
  subject_id: 'id',
  xid: 'event_xid',
  number_id: 'number_id',
  type: 't.type',
  // Counts the event's own bit and the new ones below it.
  sequence: 'old_event_count + bit_count((news & (2 * t.bit - 1))::bit(4))',
  occurred_at: ofStatus('told_sent_at', 'told_delivered_at', 'told_read_at', 'told_failed_at'),
  category: 'category',
  pricing_type: 'pricing_type',
  error_code: `CASE t.bit WHEN ${TOLD_BIT.failed} THEN error_code END`,
  error_message: `CASE t.bit WHEN ${TOLD_BIT.failed} THEN error_message END`,
  upstream_field: `CASE WHEN ${REPORTED_VALUE} IS NOT NULL THEN 'messages' END`,
  upstream_value: REPORTED_VALUE,
});

const USAGE = metricRows([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
  ['spentMicros', 'spent'],
  ['byCategory', 'category_left', '-messages'],
  ['byCategory', 'category_entered', 'messages'],
  ['byPricing', 'pricing_left', '-messages'],
  ['byPricing', 'pricing_entered', 'messages'],
]);

const applyTo = (tables: readonly MessageTable[]) => `
  WITH target AS MATERIALIZED (
    SELECT u.*, r.message_id
    FROM (${STATUSES.rows()}) u
    LEFT JOIN wamid_ref r ON r.wamid_digest = u.wamid_digest AND r.organization_id = u.organization_id
    ORDER BY r.organization_id, r.message_id
  ),
  ${forEachOf(tables, 'locked', lockIn)},
  ranked AS NOT MATERIALIZED (
    SELECT l.*, ${settledPrice('l')} AS price,
           CASE WHEN old_status = ${STATUS.failed} THEN ${STATUS.failed}
                WHEN told_failed_at IS NOT NULL AND greatest(old_status, told) <= ${STATUS.sent} THEN ${STATUS.failed}
                ELSE greatest(old_status, told) END AS new_status,
           (old_status = ${STATUS.failed} AND told >= ${STATUS.delivered}
             OR told_failed_at IS NOT NULL AND greatest(old_status, told) BETWEEN ${STATUS.delivered} AND ${STATUS.read}) AS contradicts
    FROM locked l
    OFFSET 0
  ),
  judged AS MATERIALIZED (
    SELECT r.*, n.news, h.history, greatest(old_event_xid, pg_current_xact_id()) AS event_xid
    FROM ranked r
    CROSS JOIN LATERAL (
      SELECT jsonb_build_object('told', told, 'delivered_at', told_delivered_at, 'read_at', told_read_at,
               'failed_at', told_failed_at, 'error_code', r.error_code) AS entry
    ) c
    CROSS JOIN LATERAL (
      -- A report enters the history once, whatever the message's status was: the report itself may have changed it.
      SELECT CASE WHEN contradicts AND NOT old_history @> jsonb_build_array(c.entry)
                  THEN old_history || (c.entry || jsonb_build_object('status', old_status))
                  ELSE old_history END AS history
    ) h
    CROSS JOIN LATERAL (SELECT ((
      CASE WHEN told_sent_at IS NOT NULL AND old_status <> ${STATUS.failed} THEN ${TOLD_BIT.sent} ELSE 0 END
      | CASE WHEN told_delivered_at IS NOT NULL AND new_status <> ${STATUS.failed} THEN ${TOLD_BIT.delivered} ELSE 0 END
      | CASE WHEN told_read_at IS NOT NULL AND new_status <> ${STATUS.failed} THEN ${TOLD_BIT.read} ELSE 0 END
      | CASE WHEN old_status <> ${STATUS.failed} AND new_status = ${STATUS.failed} THEN ${TOLD_BIT.failed} ELSE 0 END
    ) & ~old_told::int) AS news) n
    WHERE (r.sent_at, r.delivered_at, r.read_at, r.failed_at, r.category, r.pricing_type, r.pricing_rank) IS DISTINCT FROM
          (old_sent_at, old_delivered_at, old_read_at, old_failed_at, old_category, old_pricing, old_pricing_rank)
       OR n.news <> 0 OR h.history <> old_history OR upstream_status IS NOT NULL OR r.user_id IS DISTINCT FROM old_user_id
  ),
  ${forEachOf(tables, 'changed', changeIn)},
  event_row AS (
    ${RECORD_EVENTS}
  ),
  amount AS MATERIALIZED (
      SELECT organization_id, month, metric, sum(amount)::bigint AS amount
      FROM (
      SELECT organization_id, month, metric, amount
      FROM (
        -- Groups messages before the LATERAL join, because most messages of a set have equal values.
        SELECT organization_id, ${billingMonthSql('accepted_at')} AS month, count(*) AS messages,
               count(*) FILTER (WHERE old_status = ${STATUS.queued} AND new_status BETWEEN ${STATUS.sent} AND ${STATUS.read}) AS sent,
               count(*) FILTER (WHERE old_delivered_at IS NULL AND delivered_at IS NOT NULL) AS delivered,
               count(*) FILTER (WHERE old_status <> ${STATUS.failed} AND new_status = ${STATUS.failed}) AS failed,
               sum(CASE WHEN new_status = ${STATUS.failed} THEN 0 ELSE price END
                   - CASE WHEN old_status = ${STATUS.failed} THEN 0 ELSE old_price END) AS spent,
               CASE WHEN category IS DISTINCT FROM old_category THEN old_category END AS category_left,
               CASE WHEN category IS DISTINCT FROM old_category THEN category END AS category_entered,
               CASE WHEN pricing_type IS DISTINCT FROM old_pricing THEN old_pricing END AS pricing_left,
               CASE WHEN pricing_type IS DISTINCT FROM old_pricing THEN pricing_type END AS pricing_entered
        FROM changed WHERE origin IS NULL
        GROUP BY organization_id, month, category_left, category_entered, pricing_left, pricing_entered
      ) alike, ${USAGE}
      WHERE metric IS NOT NULL
      UNION ALL
      ${chargesOf('changed')}
      ) counts
      GROUP BY organization_id, month, metric
  ),
  counted AS (${addUsage(`SELECT * FROM amount WHERE ${IS_COUNTED}`)})
  SELECT wamid_digest AS "wamidDigest", message_id AS "messageId", NULL::uuid AS "organizationId", NULL AS month, NULL AS metric, NULL::bigint AS amount
  FROM target WHERE message_id IS NULL OR ${IS_ELSEWHERE}
  UNION ALL
  SELECT NULL, NULL, organization_id, month::text, metric, amount FROM amount WHERE NOT (${IS_COUNTED})`;
