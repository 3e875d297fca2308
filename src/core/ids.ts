import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { sha256Hex } from './digest.ts';

// One call for many ids: asking the system for 16 bytes at a time costs more than making the id.
const randomPool = Buffer.alloc(4096);
let poolOffset = randomPool.length;
let sequence = 0;
let sequenceAtMs = Number.NaN;

/** Good until the next call. */
function randomBytes16(): Buffer {
  if (poolOffset >= randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  poolOffset += 16;
  return randomPool.subarray(poolOffset - 16, poolOffset);
}

/** A new time-ordered id (UUIDv7), made at `atMs` (epoch ms): ids made later sort later, those of one process within a millisecond, too. */
export function newId(atMs = Date.now()): string {
  const random = randomBytes16();
  // Counted within a millisecond only: a tenant must not learn from its ids how many the others were given.
  sequence = atMs === sequenceAtMs ? sequence + 1 : random.readUInt32BE() >>> 1;
  sequenceAtMs = atMs;
  return v7({ random, msecs: atMs, seq: sequence });
}

/** Whether `text` is spelled like a UUID, in any case. Of what version and variant is not asked: others make ids their own way. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** The smallest UUIDv7 that could have been made at `epochMs`: the bound of a time range over ids. */
export function firstIdAt(epochMs: number): string {
  const hex = Math.floor(epochMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When a UUIDv7 was made, in epoch ms. */
export function madeAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The id right behind `id` in the order of ids. */
export function idAfter(id: string): string {
  return uuidOf((BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0'));
}

/** 128 bits of SHA-256 over `parts`, spelled as a UUID so that PostgreSQL keeps it in 16 bytes. Parts are kept apart by a NUL. */
export function digestUuid(...parts: string[]): string {
  return uuidOf(sha256Hex(parts.join('\0')));
}

/** The first 32 of these hexadecimal digits, spelled as a UUID. */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Beyond all times: what is no message is not to be looked for among those made at its moment. */
const BEYOND_TIMES_MS = 2 ** 47;

/** `digestUuid` of what happened at `atMs` (epoch ms): sorts by that among others made so. */
export function digestUuidAt(atMs: number, ...parts: string[]): string {
  return withStartOf(firstIdAt(BEYOND_TIMES_MS + atMs), digestUuid(...parts));
}

/** `digestUuid` of what belongs to `id`: sorts as that does. */
export function digestUuidBeside(id: string, ...parts: string[]): string {
  return withStartOf(id, digestUuid(id, ...parts));
}

/** `digest` with the first 48 bits of `id`, which are where times stand. */
function withStartOf(id: string, digest: string): string {
  return id.slice(0, 14) + digest.slice(14);
}

/** The digest under which a wamid is looked up. */
export function wamidDigest(wamid: string): string {
  return digestUuid(wamid);
}
