import { membersOf } from '../../core/json/index.ts';
import { storableText } from '../../core/storable-text.ts';

const DAY_MS = 86_400_000;
const FIRST_SECOND = 946_684_800;
const LAST_SECOND = 4_102_444_800;

/** Returns a list's elements as objects. Other elements keep their place as empty objects, for callers that cut out raw text. */
export function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

/** Returns a text; undefined if it is absent or empty, which the platform writes for absent. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? storableText(value) : undefined;
}

/** Returns a phone number, which has at most 15 digits (E.164); undefined for a longer text, which identifies a person in another way. */
export function digits(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9]\d{4,14}$/.test(value) ? value : undefined;
}

/** Returns the time that a webhook states, in epoch ms: Unix seconds or milliseconds, as text or number, within the years 2000 to 2100. */
export function statedTimeMs(value: unknown): number | undefined {
  const time = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  const seconds = time >= LAST_SECOND ? time / 1000 : time;
  return seconds > FIRST_SECOND && seconds < LAST_SECOND ? Math.floor(seconds * 1000) : undefined;
}

/**
 * Returns the time of a message or status, in epoch ms: the stated time, or the time of arrival if it cannot be read. A time more than a
 * day after the arrival counts as unreadable: it would keep the 24-hour window open until then.
 */
export function timeMs(value: unknown, receivedAtMs: number): number {
  const stated = statedTimeMs(value);
  return stated === undefined || stated > receivedAtMs + DAY_MS ? receivedAtMs : stated;
}
