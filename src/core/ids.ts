import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { sha256Hex } from './digest.ts';

// One call serves many ids: asking the system for 16 bytes at a time costs more than making the id.
const randomPool = Buffer.alloc(4096);
let poolOffset = randomPool.length;
let sequence = 0;
let sequenceAtMs = Number.NaN;

/** Returns 16 random bytes, valid until the next call. */
function randomBytes16(): Buffer {
  if (poolOffset >= randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  poolOffset += 16;
  return randomPool.subarray(poolOffset - 16, poolOffset);
}

/** A new time-ordered id (UUIDv7) for `atMs` (epoch ms). Later ids sort later; within a millisecond, only those of one process do. */
export function newId(atMs = Date.now()): string {
  const random = randomBytes16();
  // The counter restarts at random each millisecond: its ids must not reveal to a tenant how many ids other tenants received.
  sequence = atMs === sequenceAtMs ? sequence + 1 : random.readUInt32BE() >>> 1;
  sequenceAtMs = atMs;
  return v7({ random, msecs: atMs, seq: sequence });
}

/** True if `text` has the form of a UUID, in any letter case. Version and variant are not checked: clients make ids in their own ways. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Returns `text` with `mask` in place of each wamid: the platform's message ids contain the person's phone number in base64. */
export function maskWamids(text: string, mask: string): string {
  return text.replace(/wamid\.[\w+/=-]+/g, mask);
}

/** The smallest UUIDv7 of `epochMs`: the bound of a time range over ids. */
export function firstIdAt(epochMs: number): string {
  const hex = Math.floor(epochMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Time at which a UUIDv7 was made, in epoch ms. */
export function madeAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The next id after `id` in sort order. */
export function idAfter(id: string): string {
  return uuidOf((BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0'));
}

/** 128 bits of SHA-256 over `parts`, written as a UUID so that PostgreSQL stores it in 16 bytes. A NUL separates the parts. */
export function digestUuid(...parts: string[]): string {
  return uuidOf(sha256Hex(parts.join('\0')));
}

/** The first 32 of these hexadecimal digits, written as a UUID. */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Offset beyond all message times. Without it, an id that is no message's would be searched among the messages of its time. */
const BEYOND_TIMES_MS = 2 ** 47;

/** Like `digestUuid`, for an occurrence at `atMs` (epoch ms): these ids sort by that time. */
export function digestUuidAt(atMs: number, ...parts: string[]): string {
  return withStartOf(firstIdAt(BEYOND_TIMES_MS + atMs), digestUuid(...parts));
}

/** Like `digestUuid`, for an object that belongs to `id`: sorts by the same time. */
export function digestUuidBeside(id: string, ...parts: string[]): string {
  return withStartOf(id, digestUuid(id, ...parts));
}

/** Replaces the first 48 bits of `digest`, which hold the time, by those of `id`. */
function withStartOf(id: string, digest: string): string {
  return id.slice(0, 14) + digest.slice(14);
}

/** Digest under which a wamid is looked up. */
export function wamidDigest(wamid: string): string {
  return digestUuid(wamid);
}

/** User ids have the country, a dot, and letters and digits; those of linked businesses have a further word after the country. */
export const USER_ID_PATTERN = '^[A-Z]{2}\\.(?:[A-Za-z0-9]{1,32}\\.)?[A-Za-z0-9]{1,128}$';
const USER_ID = new RegExp(USER_ID_PATTERN);

/** True if a text is a user id of the platform. */
export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}
