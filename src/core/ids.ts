import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { sha256Hex } from './digest.ts';

// One call for many ids: asking the system for 16 bytes at a time costs more than making the id.
const randomPool = new Uint8Array(4096);
let poolOffset = randomPool.length;

function randomBytes16(): Uint8Array {
  if (poolOffset >= randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  poolOffset += 16;
  return randomPool.slice(poolOffset - 16, poolOffset);
}

/** A new time-ordered id (UUIDv7): ids made later sort later, to the millisecond. */
export function newId(): string {
  return v7({ rng: randomBytes16 });
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

/** 128 bits of SHA-256 over `parts`, spelled as a UUID so that PostgreSQL keeps it in 16 bytes. Parts are kept apart by a NUL. */
export function digestUuid(...parts: string[]): string {
  const hex = sha256Hex(parts.join('\0'));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The digest under which a wamid is looked up. */
export function wamidDigest(wamid: string): string {
  return digestUuid(wamid);
}
