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
  /** An unknown outcome's hold; null for a message that just waits. */
  holdUntilMs: number | null;
}

const PAGE_ROWS = 5_000;

/** Every message of the load, in pages: there may be more than one answer should hold. */
export async function listStoredMessages(db: Queryable): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await db.query<StoredMessage & Record<string, unknown>>({
      text: `
        SELECT id, substring(body FROM $2) AS tag, status, wamid, error_code AS "errorCode"
        FROM message WHERE direction = 0 AND id > $1 ORDER BY id LIMIT ${PAGE_ROWS}`,
      values: [after, TAG_PATTERN.source.replaceAll('\\d', '[0-9]')],
    });
    messages.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return messages;
    after = last.id;
  }
}

export async function listQueuedMessages(db: Queryable): Promise<QueuedMessage[]> {
  const rows = await db.query<{ message_id: string; hold_until: Date | null }>({
    text: 'SELECT message_id, hold_until FROM send_queue ORDER BY seq LIMIT 10000',
  });
  return rows.map((row) => ({ id: row.message_id, holdUntilMs: row.hold_until?.getTime() ?? null }));
}
