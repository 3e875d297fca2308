import { invalid } from '../core/errors.ts';
import { digestUuid } from '../core/ids.ts';

/** A place in the order in which events are read: by transaction, and within one by message and sequence. */
export interface EventPosition {
  /** 64-bit transaction id, decimal. */
  xid: string;
  subjectId: string;
  sequence: number;
  /** When the event was written, in whole seconds since the Unix epoch: tells which days need not be looked at. */
  atSeconds: number;
}

const NO_SUBJECT = '00000000-0000-0000-0000-000000000000';
const VERSION = 1;
const PAYLOAD_BYTES = 31;
const CHECK_BYTES = 4;
/** What the column holds. */
const SEQUENCE_MAX = 32_767;

/** The place before everything. */
export const FIRST_POSITION: EventPosition = { xid: '0', subjectId: NO_SUBJECT, sequence: 0, atSeconds: 0 };

/** The place before everything that was not settled at the transaction horizon `xid`. */
export function positionBefore(xid: string, atMs: number): EventPosition {
  return { xid, subjectId: NO_SUBJECT, sequence: 0, atSeconds: Math.floor(atMs / 1000) };
}

/** A place as callers see it: opaque, URL-safe, of constant length. */
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
 * Reads a cursor `encodeCursor` made. Raises VALIDATION_ERROR for anything else. Whoever makes one up reads no more with it
 * than without: a place says nothing about whose events are read.
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

/** Tells a mangled cursor from a whole one; no secret, for there is nothing to gain by making one up. */
function checkOf(payload: Buffer): Buffer {
  return Buffer.from(digestUuid('event cursor', payload.toString('hex')).slice(0, 8), 'hex');
}
