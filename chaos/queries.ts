import type { Queryable } from '../src/database/database.ts';
import { TAG_PATTERN } from './simulated-upstream.ts';

/** A message of the load, as the gateway stores it at the end. */
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
  /** End of the hold of an unknown outcome, its own or that of another message to the same person; null if it only waits. */
  holdUntilMs: number | null;
}

/** The end of a message that had unknown outcomes. Times are wall-clock milliseconds. */
export interface MessageEnd extends StoredMessage {
  unknownOutcomes: number;
  /** Planned end of its last hold, recorded when the attempt ended. */
  heldUntilMs: number | null;
  failedAtMs: number | null;
}

const PAGE_ROWS = 5_000;
const SQL_TAG_PATTERN = TAG_PATTERN.source.replaceAll('\\d', '[0-9]');

/** Lists every message of the load, in pages, because one answer could be too large. */
export async function listStoredMessages(db: Queryable): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await db.query<StoredMessage>({
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

/** Returns the size of the queue, and by message the holds that have ended or will end within `soonMs`. */
export async function listHolds(
  db: Queryable,
  soonMs: number,
): Promise<{ queued: number; held: number; nowMs: number; due: { id: string; untilMs: number }[] }> {
  const [row] = await db.query<{ queued: number; held: number; now: Date; ids: string[]; holds: Date[] }>({
    text: `
      SELECT count(*)::int AS queued, count(hold_until)::int AS held, clock_timestamp() AS now,
        coalesce(array_agg(message_id) FILTER (WHERE is_due), '{}') AS ids,
        coalesce(array_agg(hold_until) FILTER (WHERE is_due), '{}') AS holds
      FROM (
        SELECT message_id, hold_until, hold_until < clock_timestamp() + $1 * interval '1 millisecond' AS is_due FROM send_queue
      ) q`,
    values: [soonMs],
  });
  const { queued, held, now, ids, holds } = row ?? { queued: 0, held: 0, now: new Date(), ids: [], holds: [] };
  const due = ids.map((id, index) => ({ id, untilMs: holds[index]?.getTime() ?? 0 }));
  return { queued, held, nowMs: now.getTime(), due };
}

/** Lists every message with the records of its attempts. */
export async function listEnds(db: Queryable): Promise<MessageEnd[]> {
  const rows = await db.query<
    Omit<MessageEnd, 'heldUntilMs' | 'failedAtMs'> & { heldUntil: Date | null; failedAt: Date | null }
  >({
    text: `
      SELECT m.id, substring(m.body FROM $1) AS tag, m.status, m.wamid, m.error_code AS "errorCode",
        a.outcomes AS "unknownOutcomes", a.held_until AS "heldUntil", m.failed_at AS "failedAt"
      FROM message m CROSS JOIN LATERAL (
        SELECT count(*)::int AS outcomes, max(next_at) AS held_until FROM send_attempt
        WHERE organization_id = m.organization_id AND message_id = m.id AND outcome = 'unknown'
      ) a
      WHERE m.direction = 0`,
    values: [SQL_TAG_PATTERN],
  });
  return rows.map(({ heldUntil, failedAt, ...end }) => ({
    ...end,
    heldUntilMs: heldUntil?.getTime() ?? null,
    failedAtMs: failedAt?.getTime() ?? null,
  }));
}
