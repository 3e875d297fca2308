import { invalid } from '../core/errors.ts';
import { digestUuid } from '../core/ids.ts';

/** A position in the reading order of events: by transaction, and within one by message and sequence. */
export interface EventPosition {
  /** 64-bit transaction id, decimal. */
  xid: string;
  subjectId: string;
  sequence: number;
  /** Time at which the event was written, in whole seconds since the Unix epoch; older days need not be searched. */
  atSeconds: number;
}

const NO_SUBJECT = '00000000-0000-0000-0000-000000000000';
const VERSION = 1;
const PAYLOAD_BYTES = 31;
const CHECK_BYTES = 4;
/** Maximum of the column. */
const SEQUENCE_MAX = 32_767;

/** The position before all events. */
export const FIRST_POSITION: EventPosition = { xid: '0', subjectId: NO_SUBJECT, sequence: 0, atSeconds: 0 };

/** Returns the position before all events that were not settled at the transaction horizon `xid`. */
export function positionBefore(xid: string, atMs: number): EventPosition {
  return { xid, subjectId: NO_SUBJECT, sequence: 0, atSeconds: Math.floor(atMs / 1000) };
}

/** Encodes a position for callers: opaque, URL-safe, of constant length. */
export function encodeCursor(position: EventPosition): string {
  const bytes = Buffer.alloc(PAYLOAD_BYTES);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeBigUInt64BE(BigInt(position.xid), 1);
  bytes.write(position.subjectId.replaceAll('-', ''), 9, 'hex');
  bytes.writeUInt16BE(position.sequence, 25);
  bytes.writeUInt32BE(position.atSeconds, 27);
  return Buffer.concat([bytes, checkOf(bytes)]).toString('base64url');
}

/**
 * Decodes a cursor from `encodeCursor`. Raises VALIDATION_ERROR for anything else. An invented cursor gives access to no further events,
 * because a position does not select an organization.
 */
export function decodeCursor(cursor: string): EventPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const intact =
    bytes.length === PAYLOAD_BYTES + CHECK_BYTES &&
    bytes.toString('base64url') === cursor &&
    bytes.readUInt8(0) === VERSION &&
    bytes.readUInt16BE(25) <= SEQUENCE_MAX &&
    bytes.subarray(PAYLOAD_BYTES).equals(checkOf(payload));
  if (!intact) throw invalid('"after" must be a cursor an earlier answer gave as "next".');
  const hex = bytes.toString('hex', 9, 25);
  return {
    xid: bytes.readBigUInt64BE(1).toString(),
    subjectId: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'),
    sequence: bytes.readUInt16BE(25),
    atSeconds: bytes.readUInt32BE(27),
  };
}

/** Returns a checksum that detects a mangled cursor. It is no secret, because an invented cursor gains nothing. */
function checkOf(payload: Buffer): Buffer {
  return Buffer.from(digestUuid('event cursor', payload.toString('hex')).slice(0, 8), 'hex');
}
