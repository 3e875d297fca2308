import type { Queryable } from '../src/database/database.ts';
import { TAG_PATTERN } from './simulated-upstream.ts';

/** A message of the load, as the gateway has it in the end. */
export interface StoredMessage {
  id: string;
  tag: string;
  /** 0 queued, 1 sent, 2 delivered, 3 read, 4 failed. */
  status: number;
  wamid: string | null;
  errorCode: string | null;
}

/** A message that is still in the send queue. */
export interface QueuedMessage {
  id: string;
  /** The hold of an unknown outcome, its own or that of another message to the same person; null for one that just waits. */
  holdUntilMs: number | null;
}

/** How a message ended that had unknown outcomes. */
export interface MessageEnd extends StoredMessage {
  unknownOutcomes: number;
  /** How long after its last hold it failed, milliseconds; null for one that did not fail. */
  lateMs: number | null;
}

const PAGE_ROWS = 5_000;
const SQL_TAG_PATTERN = TAG_PATTERN.source.replaceAll('\\d', '[0-9]');

/** Every message of the load, in pages: there may be more than one answer should hold. */
export async function listStoredMessages(db: Queryable): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await db.query<StoredMessage & Record<string, unknown>>({
      text: `
        SELECT id, substring(body FROM $2) AS tag, status, wamid, error_code AS "errorCode"
        FROM message WHERE direction = 0 AND id > $1 ORDER BY id LIMIT ${PAGE_ROWS}`,
      values: [after, SQL_TAG_PATTERN],
    });
    messages.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return messages;
    after = last.id;
  }
}

export async function listQueuedMessages(db: Queryable): Promise<QueuedMessage[]> {
  const rows = await db.query<{ message_id: string; hold_until: Date | null }>({
    text: `
      SELECT message_id, max(hold_until) OVER (PARTITION BY number_id, contact) AS hold_until
      FROM send_queue ORDER BY seq LIMIT 10000`,
  });
  return rows.map((row) => ({ id: row.message_id, holdUntilMs: row.hold_until?.getTime() ?? null }));
}

/** What the queue holds now, and by how much the most overdue hold is. */
export async function listHolds(db: Queryable): Promise<{ queued: number; held: number; mostOverdueMs: number }> {
  const [row] = await db.query<{ queued: number; held: number; mostOverdueMs: number }>({
    text: `
      SELECT count(*)::int AS queued, count(hold_until)::int AS held,
        greatest(0, extract(epoch FROM clock_timestamp() - min(hold_until)) * 1000)::float8 AS "mostOverdueMs"
      FROM send_queue`,
  });
  return row ?? { queued: 0, held: 0, mostOverdueMs: 0 };
}

/** Every message with what is noted of its attempts. */
export async function listEnds(db: Queryable): Promise<MessageEnd[]> {
  return await db.query<MessageEnd & Record<string, unknown>>({
    text: `
      SELECT m.id, substring(m.body FROM $1) AS tag, m.status, m.wamid, m.error_code AS "errorCode",
        a.outcomes AS "unknownOutcomes", (extract(epoch FROM m.failed_at - a.held_until) * 1000)::float8 AS "lateMs"
      FROM message m CROSS JOIN LATERAL (
        SELECT count(*)::int AS outcomes, max(next_at) AS held_until FROM send_attempt
        WHERE organization_id = m.organization_id AND message_id = m.id AND outcome = 'unknown'
      ) a
      WHERE m.direction = 0`,
    values: [SQL_TAG_PATTERN],
  });
}
