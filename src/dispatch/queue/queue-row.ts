import { sameKey } from '../../database/batching/same-key.ts';

/** Key of a message in the queue. The position alone may belong to another message now, see `journalDispatch`. */
export interface QueueKey {
  messageId: string;
  numberId: number;
  flowId: number;
  seq: number;
}

/** A row of the send queue, as read by its owner. */
export interface QueueRow extends QueueKey {
  contact: string;
  acceptedAtMs: number;
  attempt: number;
  unknownCount: number;
  dueAtMs: number | null;
  /** Set for a message with an unknown outcome. */
  holdUntilMs: number | null;
  /**
   * Start of the attempt with the unknown outcome, by the platform's clock. It is kept if the message is sent again with the outcome still
   * unknown. Null if there was no such attempt.
   */
  attemptedAtMs: number | null;
}

/** The same row as the driver returns it. */
export interface RawQueueRow extends Record<string, unknown> {
  seq: number;
  number_id: number;
  flow_id: number;
  contact: number;
  message_id: string;
  accepted_at: Date;
  attempt: number;
  unknown_count: number;
  due_at: Date | null;
  hold_until: Date | null;
  attempted_at: Date | null;
}

/** Columns that `toQueueRow` needs. */
export const COLUMNS =
  'seq, number_id, flow_id, contact, message_id, accepted_at, attempt, unknown_count, due_at, hold_until, attempted_at';
/** The same columns, qualified with the name of a row. */
export const columnsOf = (row: string) => COLUMNS.replaceAll(/\w+/g, `${row}.$&`);
export const Q_COLUMNS = columnsOf('q');

/** Returns the condition that the queue row `q` has the position named by `other`. */
export function samePlace(q: string, other: string): string {
  return sameKey(q, other, ['number_id', 'flow_id', 'seq']);
}

/** Converts a row to the names and units of the program. */
export function toQueueRow(row: RawQueueRow): QueueRow {
  return {
    seq: row.seq,
    numberId: row.number_id,
    flowId: row.flow_id,
    contact: String(row.contact),
    messageId: row.message_id,
    acceptedAtMs: row.accepted_at.getTime(),
    attempt: row.attempt,
    unknownCount: row.unknown_count,
    dueAtMs: row.due_at?.getTime() ?? null,
    holdUntilMs: row.hold_until?.getTime() ?? null,
    attemptedAtMs: row.attempted_at?.getTime() ?? null,
  };
}
