import { invalid } from '../../core/errors.ts';
import type { JournalPosition } from '../queries.ts';

/** Encodes a place in the journal for the operator. */
export function encodeJournalCursor({ xid, id }: JournalPosition): string {
  return Buffer.from(`${xid}.${id}`).toString('base64url');
}

/** Reads a cursor that `encodeJournalCursor` made; undefined is the beginning. Raises VALIDATION_ERROR for any other text. */
export function decodeJournalCursor(cursor: string | undefined): JournalPosition {
  if (cursor === undefined) return { xid: '0', id: 0 };
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = /^(\d{1,19})\.(\d{1,15})$/.exec(text);
  if (match?.[1] === undefined || Buffer.from(text).toString('base64url') !== cursor) {
    throw invalid('"after" must be a cursor an earlier answer gave as "next".');
  }
  return { xid: match[1], id: Number(match[2]) };
}
