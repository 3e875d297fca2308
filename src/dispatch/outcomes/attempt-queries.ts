import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { type AttemptNote, eachOnce } from './attempt-note.ts';

const ATTEMPTS = arrayTable<AttemptNote>()({
  organization_id: ['uuid', (note) => note.organizationId],
  message_id: ['uuid', (note) => note.messageId],
  at: ['timestamptz', (note) => new Date(note.atMs)],
  outcome: ['text', (note) => note.outcome],
  error_code: ['text', (note) => note.errorCode],
  error_message: ['text', (note) => note.errorMessage],
  next_at: ['timestamptz', (note) => (note.nextAtMs === null ? null : new Date(note.nextAtMs))],
});

/** Stores notes of attempts; duplicates are ignored. */
export async function insertAttempts(db: Queryable, notes: readonly AttemptNote[]): Promise<void> {
  await db.query({
    name: 'send_attempt_insert',
    text: `
      INSERT INTO send_attempt (${ATTEMPTS.names})
      SELECT ${ATTEMPTS.names} FROM ${ATTEMPTS.from('a')}
      ON CONFLICT DO NOTHING`,
    values: ATTEMPTS.values(notes),
  });
}

/** Lists the notes of a message's attempts, oldest first, without attempts that succeeded or ended the message. */
export async function listAttempts(db: Queryable, organizationId: string, messageId: string): Promise<AttemptNote[]> {
  const rows = await db.query<{
    at: Date;
    outcome: AttemptNote['outcome'];
    error_code: string | null;
    error_message: string | null;
    next_at: Date | null;
  }>({
    name: 'send_attempt_list',
    text: `
      SELECT at, outcome, error_code, error_message, next_at FROM send_attempt
      WHERE organization_id = $1 AND message_id = $2 ORDER BY at LIMIT 1000`,
    values: [organizationId, messageId],
  });
  const notes = rows.map((row) => ({
    organizationId,
    messageId,
    atMs: row.at.getTime(),
    outcome: row.outcome,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    nextAtMs: row.next_at?.getTime() ?? null,
  }));
  return eachOnce(notes);
}

/** Upper limit for counting the messages ahead: a person may have a million of them. */
export const AHEAD_MAX = 1_000;

/** Position of a queued message. */
export interface QueuePlace {
  /** The key of its person. */
  contact: string;
  expiresAtMs: number;
  dueAtMs: number | null;
  holdUntilMs: number | null;
  /** Earlier messages to the same person, which go first; `AHEAD_MAX` if there are at least that many. */
  ahead: number;
}

/** Returns a message's position in the queue; undefined if it is not queued. `contacts` are the keys that its person may have. */
export async function findQueuePlace(
  db: Queryable,
  numberId: number,
  contacts: readonly string[],
  messageId: string,
): Promise<QueuePlace | undefined> {
  const rows = await db.query<{
    expires_at: Date;
    due_at: Date | null;
    hold_until: Date | null;
    ahead: number;
    contact: number;
  }>({
    name: 'queue_find_place',
    text: `
      WITH first AS MATERIALIZED (
        SELECT q.message_id, q.expires_at, q.due_at, q.hold_until, q.ahead, k.contact
        FROM unnest($2::bigint[]) AS k (contact)
        CROSS JOIN LATERAL (
          SELECT message_id, expires_at, due_at, hold_until, row_number() OVER (ORDER BY seq) - 1 AS ahead
          FROM send_queue WHERE number_id = $1 AND contact = k.contact ORDER BY seq LIMIT ${AHEAD_MAX}
        ) q
      )
      SELECT expires_at, due_at, hold_until, ahead, contact FROM first WHERE message_id = $3
      UNION ALL
      -- Searched from the newest message on, because most requests are about recent messages.
      SELECT q.expires_at, q.due_at, q.hold_until, ${AHEAD_MAX}, k.contact
      FROM unnest($2::bigint[]) AS k (contact)
      CROSS JOIN LATERAL (
        SELECT expires_at, due_at, hold_until FROM send_queue
        WHERE number_id = $1 AND contact = k.contact AND message_id = $3 ORDER BY seq DESC LIMIT 1
      ) q
      WHERE NOT EXISTS (SELECT FROM first WHERE message_id = $3)`,
    values: [numberId, contacts, messageId],
  });
  const row = rows[0];
  return (
    row && {
      contact: String(row.contact),
      expiresAtMs: row.expires_at.getTime(),
      dueAtMs: row.due_at?.getTime() ?? null,
      holdUntilMs: row.hold_until?.getTime() ?? null,
      ahead: row.ahead,
    }
  );
}
