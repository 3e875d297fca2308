import type { Queryable } from '../../database/database.ts';
import { DAY_MS } from '../../database/days/partitions.ts';
import { firstRow } from '../../database/first-row.ts';
import type { Event } from '../event.ts';
import { type EventPosition, FIRST_POSITION, positionBefore } from '../event-cursor.ts';
import { type EventType, eventTypeOf } from '../event-types.ts';
import {
  type EventRow,
  joinsOf,
  MEASURED_FACTS,
  type PositionRow,
  toEvents,
  toPosition,
  withinBytes,
} from '../queries.ts';

/**
 * Events written up to this time before a position are still searched after it. It is longer than any transaction lives. It also covers a
 * server clock that ran ahead (later days have no partition for an event) or was set back.
 */
const SLACK_SECONDS = 4 * 24 * 60 * 60;

/** Returns the time before which no event after a position can have been written. */
function earliestAfter({ atSeconds }: EventPosition): Date {
  return new Date(Math.max(0, atSeconds - SLACK_SECONDS) * 1000);
}

/** Returns a position as statement parameters: xid, subject, sequence, and the earliest time. */
function positionValues(position: EventPosition): unknown[] {
  return [position.xid, position.subjectId, position.sequence, earliestAfter(position)];
}

// Everything below a snapshot's xmin is settled: it is visible now or never will be. A reader that reads up to it and continues there
// misses nothing, in whatever order transactions commit.
const AFTER = `e.at >= $4 AND e.xid >= $1::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (e.xid, e.subject_id, e.sequence) > ($1::xid8, $2::uuid, $3::smallint)`;

// Condition for one organization's events. Written like AFTER, it would also fit the index of all organizations' events. With few
// organizations the planner would choose that index, and a small organization would wait for all of a large one's events since its own last
// event.
const afterOfOne = (xid: string, subjectId: string, sequence: string) => `
  e.xid >= ${xid}::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (e.xid > ${xid}::xid8 OR (e.subject_id, e.sequence) > (${subjectId}::uuid, ${sequence}::smallint))`;
const ORDER_OF_ONE = 'e.xid, (e.subject_id, e.sequence)';
/** The largest transaction id. */
const END = '9223372036854775807';

/** Maximum number of events that one reading scans: any number of them may belong to other organizations. */
const LOOKED_AT_MAX = 50_000;
/**
 * Maximum number of events scanned ahead for a time range: any number of them may lie outside it. The bound is found by a full scan of this
 * length, even if few events are needed.
 */
const LOOKED_AHEAD_MAX = 5_000;

/**
 * Reads the next events of these organizations (`null`: of all) after `from`: at most `limit`, and after the first no more than `bytesMax`
 * of text. The order is that of delivery: the sequence within a message, else the order of transactions. No event of theirs that commits
 * later can precede `next`, from which reading continues. With `isCut`, more events may exist already.
 */
export async function readCommittedEvents(
  db: Queryable,
  from: EventPosition,
  organizationIds: readonly string[] | null,
  limit: number,
  bytesMax: number,
): Promise<{ events: Event[]; next: EventPosition; isCut: boolean }> {
  type FoundRow = EventRow & { found: number; looked_at: number };
  const rows = await db.query<{ horizon: string; now: Date } & (FoundRow | { subject_id: null })>({
    name: 'event_read_committed',
    // Include the last scanned row, of any organization: it marks the end of the scan.
    text: `
      SELECT now.xid::text AS horizon, now() AS now, f.*
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT ${MEASURED_FACTS}, e.looked_at
        FROM (
          SELECT * FROM (
            SELECT e.*, row_number() OVER (ORDER BY e.xid, e.subject_id, e.sequence) AS looked_at
            FROM (SELECT * FROM event e WHERE ${AFTER} ORDER BY e.xid, e.subject_id, e.sequence LIMIT ${LOOKED_AT_MAX}) e
          ) e
          WHERE $5::uuid[] IS NULL OR e.organization_id = ANY($5) OR e.looked_at = ${LOOKED_AT_MAX}
          ORDER BY e.xid, e.subject_id, e.sequence LIMIT $6
        ) e ${joinsOf('message')}
        WINDOW in_order AS (ORDER BY e.xid, e.subject_id, e.sequence)
      ) f ON ${withinBytes('$7')}
      ORDER BY f.place`,
    values: [...positionValues(from), organizationIds, limit, bytesMax],
  });
  const first = firstRow(rows);
  const found = rows.filter((row) => row.subject_id !== null);
  const last = found.at(-1);
  const isCut =
    last !== undefined && (found.length === limit || found.length < last.found || last.looked_at === LOOKED_AT_MAX);
  const next = isCut ? toPosition(last) : positionBefore(first.horizon, first.now.getTime());
  const wanted = organizationIds && new Set(organizationIds);
  return { events: toEvents(found.filter((row) => wanted?.has(row.organization_id) ?? true)), next, isCut };
}

/**
 * Reads events of one organization written within [fromMs, toMs) (epoch ms) after a position: at most `limit`, and after the first no more
 * than `bytesMax` of text, in the order of `readCommittedEvents`. `next` is the position to continue from, undefined at the end.
 */
export async function readEventsBetween(
  db: Queryable,
  organizationId: string,
  after: EventPosition,
  range: { fromMs: number; toMs: number },
  limit: number,
  bytesMax: number,
): Promise<{ events: Event[]; next: EventPosition | undefined }> {
  const rows = await db.query<{ looked_up_to: string } & ((EventRow & { found: number }) | { subject_id: null })>({
    name: 'event_read_between',
    // No index orders events by time within a day, so the end of the scan is determined first.
    text: `
      SELECT look.up_to::text AS looked_up_to, f.*
      FROM (
        SELECT coalesce((
          SELECT e.xid FROM event e
          WHERE e.organization_id = $1 AND ${afterOfOne('$2', '$3', '$4')} AND e.at >= $5 AND e.at < $6
          ORDER BY e.xid OFFSET ${LOOKED_AHEAD_MAX} LIMIT 1
        ), '${END}') AS up_to
      ) look
      LEFT JOIN LATERAL (
        SELECT ${MEASURED_FACTS}
        FROM (
          SELECT * FROM event e
          WHERE e.organization_id = $1 AND ${afterOfOne('$2', '$3', '$4')} AND e.xid <= look.up_to AND e.at >= $7 AND e.at < $8
          ORDER BY ${ORDER_OF_ONE} LIMIT $9
        ) e ${joinsOf('message')}
        WINDOW in_order AS (ORDER BY e.xid, e.subject_id, e.sequence)
      ) f ON ${withinBytes('$10')}
      ORDER BY f.place`,
    values: [
      organizationId,
      after.xid,
      after.subjectId,
      after.sequence,
      new Date(Math.floor(range.fromMs / DAY_MS) * DAY_MS),
      new Date(Math.ceil(range.toMs / DAY_MS) * DAY_MS),
      new Date(range.fromMs),
      new Date(range.toMs),
      limit,
      bytesMax,
    ],
  });
  const { looked_up_to: lookedUpTo } = firstRow(rows);
  const found = rows.filter((row) => row.subject_id !== null);
  const last = found.at(-1);
  const isCut = last !== undefined && (found.length === limit || found.length < last.found);
  const beyond = lookedUpTo === END ? undefined : positionBefore(String(BigInt(lookedUpTo) + 1n), 0);
  return { events: toEvents(found), next: isCut ? toPosition(last) : beyond };
}

/** Returns the position of the transaction horizon now: everything before it is settled, and everything committed later comes after it. */
export async function readHorizon(db: Queryable): Promise<EventPosition> {
  const rows = await db.query<{ xid: string; at: Date }>({
    name: 'event_horizon',
    text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid, now() AS at',
  });
  const { xid, at } = firstRow(rows);
  return positionBefore(xid, at.getTime());
}

/**
 * Returns the position after all settled events of one organization. It is the newest event's position, not the horizon: a crashed server,
 * or the standby that replaced it, may reuse ids of transactions that left no trace in its log.
 */
export async function readNewestPosition(db: Queryable, organizationId: string): Promise<EventPosition> {
  const rows = await db.query<{ now: Date } & (PositionRow | { subject_id: null })>({
    name: 'event_newest',
    // The horizon is a subquery. If the planner knew its value while it was old, it could choose the index of all organizations' events.
    text: `
      SELECT now() AS now, e.subject_id, e.sequence, e.xid::text AS xid, e.at
      FROM (SELECT) one
      LEFT JOIN (
        SELECT * FROM event e
        WHERE e.organization_id = $1 AND e.xid < (SELECT pg_snapshot_xmin(pg_current_snapshot()))
          AND e.at >= now() - interval '${SLACK_SECONDS} seconds'
        ORDER BY e.xid DESC, (e.subject_id, e.sequence) DESC LIMIT 1
      ) e ON true`,
    values: [organizationId],
  });
  const newest = firstRow(rows);
  if (newest.subject_id !== null) return toPosition(newest);
  return { ...FIRST_POSITION, atSeconds: Math.floor(newest.now.getTime() / 1000) };
}

/** Maximum number of events that one look scans to find their organizations. */
const TOLD_APART_MAX = 10_000;

/**
 * Lists organizations with events settled since the horizon `from`, with the horizon of this look. `null` means any organization: there are
 * too many events to scan, for example after the end of a long transaction that held them back.
 */
export async function listOrganizationsWithEvents(
  db: Queryable,
  from: EventPosition,
): Promise<{ organizationIds: string[] | null; horizon: EventPosition }> {
  const rows = await db.query<{ xid: string; at: Date; organization_id: string | null; looked_at: number }>({
    name: 'event_list_organizations',
    text: `
      SELECT now.xid::text AS xid, now() AS at, e.organization_id, e.looked_at
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT organization_id, (sum(count(*)) OVER ())::int AS looked_at
        FROM (
          SELECT organization_id FROM event
          WHERE at >= $2 AND xid >= $1::xid8 AND xid < pg_snapshot_xmin(pg_current_snapshot()) LIMIT ${TOLD_APART_MAX}
        ) e
        GROUP BY organization_id
      ) e ON true`,
    values: [from.xid, earliestAfter(from)],
  });
  const horizon = firstRow(rows);
  const isCut = horizon.looked_at === TOLD_APART_MAX;
  return {
    organizationIds: isCut ? null : rows.flatMap((row) => row.organization_id ?? []),
    horizon: positionBefore(horizon.xid, horizon.at.getTime()),
  };
}

/** Position, type and number of an event, without its contents. */
export interface EventHead {
  position: EventPosition;
  type: EventType;
  numberId: number | null;
}

/**
 * Lists the next events of one organization after `from`, at most `limit`, without contents. `horizon` is the horizon they lie below.
 * `isKnown` is true if `from` is the position of no event, or of an existing one.
 */
export async function listEventHeads(
  db: Queryable,
  organizationId: string,
  from: EventPosition,
  limit: number,
): Promise<{ heads: EventHead[]; horizon: string; isKnown: boolean }> {
  type HeadRow = PositionRow & Pick<EventRow, 'type'> & { number_id: number | null };
  const rows = await db.query<{ horizon: string; known: boolean } & (HeadRow | { subject_id: null })>({
    name: 'event_list_heads',
    text: `
      SELECT now.xid::text AS horizon, now.known, f.subject_id, f.sequence, f.xid::text AS xid, f.at, f.type, f.number_id
      FROM (
        SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid, $3 = 0 OR EXISTS (
          SELECT FROM event e
          WHERE e.organization_id = $5 AND e.subject_id = $2 AND e.sequence = $3
            AND e.at >= $7 AND e.at < $7::timestamptz + interval '1 second'
        ) AS known
      ) now
      LEFT JOIN (
        SELECT e.subject_id, e.sequence, e.xid, e.at, e.type, e.number_id
        FROM event e WHERE e.organization_id = $5 AND e.at >= $4 AND ${afterOfOne('$1', '$2', '$3')}
        ORDER BY ${ORDER_OF_ONE} LIMIT $6
      ) f ON true
      ORDER BY f.xid, f.subject_id, f.sequence`,
    values: [...positionValues(from), organizationId, limit, new Date(from.atSeconds * 1000)],
  });
  const { horizon, known } = firstRow(rows);
  const found = rows.filter((row) => row.subject_id !== null);
  const heads = found.map((row) => ({
    position: toPosition(row),
    type: eventTypeOf(row.type),
    numberId: row.number_id,
  }));
  return { heads, horizon, isKnown: known };
}
