import type { Queryable } from '../../database/database.ts';
import { type EventKey, type EventType, eventTypeNumber } from '../../events/index.ts';
import type { AttemptRecord } from '../attempt/attempt-verdict.ts';
import type { Endpoint } from '../endpoint.ts';
import { decodePlace, encodePlace, NEWEST_PLACE, throwMangled } from './delivery-place.ts';
import {
  ATTEMPTS_SHOWN_MAX,
  type DeliveryRow,
  listAttempts,
  listPending,
  listSettled,
  type SettledPlace,
} from './delivery-queries.ts';

/** Delivery with its last attempts, oldest first; at most `ATTEMPTS_SHOWN_MAX`. */
export interface Delivery extends DeliveryRow {
  attempts: AttemptRecord[];
}

/**
 * Filter of listed deliveries. Times (epoch ms) bound when their events were written; a second that a time falls into counts as a whole.
 */
export interface DeliveryQuery {
  status: DeliveryRow['status'] | undefined;
  eventTypes: readonly EventType[] | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
  after: string | undefined;
  limit: number;
}

export interface DeliveryPage {
  deliveries: Delivery[];
  /** Place to continue from; undefined at the end. A page may be short before the end. */
  next: string | undefined;
}

/** Place in a list of two parts: waiting deliveries by their number in the queue, then settled ones. */
type Place = { part: 'pending'; beforeSeq: number } | { part: 'settled'; place: SettledPlace };

/** Most rows read for one page. */
const SCANNED_MAX = 2_000;
const CHUNK = 200;
const SEQ_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Returns one page of an endpoint's deliveries: first waiting, then settled ones, each newest first. Raises VALIDATION_ERROR for a
 * mangled `after`.
 */
export async function listDeliveries(db: Queryable, endpoint: Endpoint, query: DeliveryQuery): Promise<DeliveryPage> {
  const types = query.eventTypes && new Set(query.eventTypes.map(eventTypeNumber));
  const isMeant = (row: DeliveryRow) =>
    (query.status === undefined || row.status === query.status) &&
    (types === undefined || types.has(row.eventType)) &&
    row.atSeconds * 1000 >= wholeFromMs(query) &&
    row.atSeconds * 1000 < (query.toMs ?? Number.POSITIVE_INFINITY);
  // Keyed by event: a delivery settled between two reads is found in both parts and counts as settled.
  const found = new Map<string, DeliveryRow>();
  let place: Place | undefined = query.after === undefined ? firstPlace(query) : decode(query.after);
  let scanned = 0;
  while (place !== undefined && found.size < query.limit && scanned < SCANNED_MAX) {
    const rows = await readChunk(db, endpoint, query, place);
    let taken = 0;
    for (const row of rows) {
      if (found.size >= query.limit) break;
      taken += 1;
      if (isMeant(row)) found.set(keyOf(row), row);
    }
    scanned += rows.length;
    place = placeAfter(query, place, rows.slice(0, taken), taken === rows.length && rows.length < CHUNK);
  }
  return { deliveries: await withAttempts(db, endpoint, [...found.values()]), next: place && encode(place) };
}

/** Returns the start of the second that the time falls into: the time of an event is stored in whole seconds. */
function wholeFromMs({ fromMs = 0 }: DeliveryQuery): number {
  return Math.floor(fromMs / 1000) * 1000;
}

function firstPlace(query: DeliveryQuery): Place {
  const settledOnly = query.status !== undefined && query.status !== 'pending';
  return settledOnly ? settledFrom(query) : { part: 'pending', beforeSeq: SEQ_MAX };
}

function settledFrom({ toMs }: DeliveryQuery): Place {
  const place =
    toMs === undefined
      ? NEWEST_PLACE
      : { ...NEWEST_PLACE, atSeconds: Math.min(NEWEST_PLACE.atSeconds, Math.ceil(toMs / 1000)) };
  return { part: 'settled', place };
}

async function readChunk(
  db: Queryable,
  endpoint: Endpoint,
  query: DeliveryQuery,
  place: Place,
): Promise<DeliveryRow[]> {
  if (place.part === 'pending') return await listPending(db, endpoint, place.beforeSeq, CHUNK);
  return await listSettled(db, endpoint, {
    place: place.place,
    fromMs: wholeFromMs(query),
    onlyFailed: query.status === 'failed',
    limit: CHUNK,
  });
}

function placeAfter(query: DeliveryQuery, place: Place, rows: DeliveryRow[], ended: boolean): Place | undefined {
  if (ended) return place.part === 'pending' && query.status === undefined ? settledFrom(query) : undefined;
  const last = rows.at(-1);
  if (last === undefined) return place;
  return last.seq === null ? { part: 'settled', place: last } : { part: 'pending', beforeSeq: last.seq };
}

async function withAttempts(db: Queryable, endpoint: Endpoint, rows: DeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return [];
  const attempts = Map.groupBy(await listAttempts(db, endpoint, rows), keyOf);
  return rows.map((row) => ({
    ...row,
    attempts: [...(attempts.get(keyOf(row)) ?? []), ...(row.lastAttempt ? [row.lastAttempt] : [])].slice(
      -ATTEMPTS_SHOWN_MAX,
    ),
  }));
}

function keyOf({ subjectId, sequence }: EventKey): string {
  return `${subjectId}/${sequence}`;
}

function encode(place: Place): string {
  return place.part === 'pending' ? `p${place.beforeSeq}` : `s${encodePlace(place.place)}`;
}

function decode(text: string): Place {
  if (/^p\d{1,15}$/.test(text)) return { part: 'pending', beforeSeq: Number(text.slice(1)) };
  if (text.startsWith('s')) return { part: 'settled', place: decodePlace(text.slice(1)) };
  throwMangled();
}
