import { sameKey } from '../../database/batching/same-key.ts';

/** Names a message in the queue: its place there alone may be another's by now, see `journalDispatch`. */
export interface QueueKey {
  messageId: string;
  numberId: number;
  flowId: number;
  seq: number;
}

/** A row of the send queue as the scheduler's owner reads it. */
export interface QueueRow extends QueueKey {
  contact: string;
  acceptedAtMs: number;
  attempt: number;
  unknownCount: number;
  dueAtMs: number | null;
  /** Set for a message whose outcome is unknown. */
  holdUntilMs: number | null;
  /**
   * Start of the attempt whose outcome is unknown, or stayed so until the message was to be sent again, by the platform's clock; null when
   * there is none.
   */
  attemptedAtMs: number | null;
}

/** The same row as the driver hands it out. */
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

/** What a statement has to select for `toQueueRow`. */
export const COLUMNS =
  'seq, number_id, flow_id, contact, message_id, accepted_at, attempt, unknown_count, due_at, hold_until, attempted_at';
/** The same, of a row with that name. */
export const columnsOf = (row: string) => COLUMNS.replaceAll(/\w+/g, `${row}.$&`);
export const Q_COLUMNS = columnsOf('q');

/** The condition that the row `q` of the queue has the place that `other` names. */
export function samePlace(q: string, other: string): string {
  return sameKey(q, other, ['number_id', 'flow_id', 'seq']);
}

/** A row in the names and units of the program. */
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
