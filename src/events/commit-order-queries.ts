import type { Queryable } from '../database/database.ts';
import type { Event } from './event.ts';
import { type EventPosition, positionBefore } from './event-cursor.ts';
import type { EventKey } from './event-id.ts';
import { type EventType, eventTypeOf } from './event-types.ts';
import { type EventRow, joinsOf, MEASURED_FACTS, toEvent, toPosition, withinBytes } from './queries.ts';

/**
 * Events written within this time before a position are still looked for after it: longer than any transaction lives, and as far
 * as the server's clock can have been ahead, because later days have no place for an event, or set back.
 */
const SLACK_SECONDS = 4 * 24 * 60 * 60;

/** Positions as statements take them: xid, subject, sequence, and the time before which nothing is looked for. */
function positionValues({ xid, subjectId, sequence, atSeconds }: EventPosition): unknown[] {
  return [xid, subjectId, sequence, new Date(Math.max(0, atSeconds - SLACK_SECONDS) * 1000)];
}

// Everything below a snapshot's xmin is settled: it is there or never will be. So whoever reads up to it and goes on from
// where it stopped misses nothing, in whatever order transactions commit.
const AFTER = `e.at >= $4 AND e.xid >= $1::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (e.xid, e.subject_id, e.sequence) > ($1::xid8, $2::uuid, $3::smallint)`;

// Of one organization's events. Said as above, the index of everybody's events would have them filtered and in order, and where there
// are few organizations the planner takes it: a small one waits for all that a large one has had since its own last event.
const afterOfOne = (xid: string, subjectId: string, sequence: string) => `
  e.xid >= ${xid}::xid8 AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (e.xid > ${xid}::xid8 OR (e.subject_id, e.sequence) > (${subjectId}::uuid, ${sequence}::smallint))`;
const ORDER_OF_ONE = 'e.xid, (e.subject_id, e.sequence)';

/**
 * The next events of these organizations (`null`: of all) after `from`, at most `limit` and after the first no more than `bytesMax`
 * of text, in the order they are to be told: for one message that of its sequence, otherwise that of the transactions. No event of
 * theirs that is committed later can come before `next`, where reading goes on; with `isCut` there may be more already.
 */
export async function readCommittedEvents(
  db: Queryable,
  from: EventPosition,
  organizationIds: readonly string[] | null,
  limit: number,
  bytesMax: number,
): Promise<{ events: Event[]; next: EventPosition; isCut: boolean }> {
  const rows = await db.query<{ horizon: string; now: Date; found: number } & (EventRow | { subject_id: null })>({
    name: organizationIds === null ? 'event_read_committed_all' : 'event_read_committed',
    text: `
      SELECT now.xid::text AS horizon, now() AS now, f.*
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT ${MEASURED_FACTS}
        FROM (
          SELECT * FROM event e WHERE ${organizationIds === null ? '$5::uuid[] IS NULL' : 'e.organization_id = ANY($5::uuid[])'} AND ${AFTER}
          ORDER BY e.xid, e.subject_id, e.sequence LIMIT $6
        ) e ${joinsOf('message')}
        WINDOW in_order AS (ORDER BY e.xid, e.subject_id, e.sequence)
      ) f ON ${withinBytes('$7')}
      ORDER BY f.place`,
    values: [...positionValues(from), organizationIds, limit, bytesMax],
  });
  const events = rows.filter((row) => row.subject_id !== null).map(toEvent);
  const [first] = rows;
  const last = events.at(-1);
  if (first === undefined) throw new Error('no horizon');
  const isCut = events.length === limit || events.length < first.found;
  const next = last !== undefined && isCut ? last.position : positionBefore(first.horizon, first.now.getTime());
  return { events, next, isCut };
}

/**
 * Events of one organization written within [fromMs, toMs) (epoch ms) after a place, at most `limit` and after the first no more than
 * `bytesMax` of text, in the order of `readCommittedEvents`. With `isCut` there may be more.
 */
export async function readEventsBetween(
  db: Queryable,
  organizationId: string,
  after: EventPosition,
  range: { fromMs: number; toMs: number },
  limit: number,
  bytesMax: number,
): Promise<{ events: Event[]; isCut: boolean }> {
  const rows = await db.query<EventRow & { found: number }>({
    name: 'event_read_between',
    text: `
      SELECT * FROM (
        SELECT ${MEASURED_FACTS}
        FROM (
          SELECT * FROM event e
          WHERE e.organization_id = $1 AND ${afterOfOne('$2', '$3', '$4')} AND e.at >= $5 AND e.at < $6
          ORDER BY ${ORDER_OF_ONE} LIMIT $7
        ) e ${joinsOf('message')}
        WINDOW in_order AS (ORDER BY e.xid, e.subject_id, e.sequence)
      ) f
      WHERE ${withinBytes('$8')}
      ORDER BY place`,
    values: [
      organizationId,
      after.xid,
      after.subjectId,
      after.sequence,
      new Date(range.fromMs),
      new Date(range.toMs),
      limit,
      bytesMax,
    ],
  });
  const isCut = rows.length === limit || rows.length < (rows[0]?.found ?? 0);
  return { events: rows.map(toEvent), isCut };
}

/** The transaction horizon now, and the server's time: everything below it is settled, everything committed later lies above. */
export async function readHorizon(db: Queryable): Promise<{ xid: string; atMs: number }> {
  const rows = await db.query<{ xid: string; at: Date }>({
    name: 'event_horizon',
    text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid, now() AS at',
  });
  const row = rows[0];
  if (row === undefined) throw new Error('no horizon');
  return { xid: row.xid, atMs: row.at.getTime() };
}

/** Which organizations have events settled since the horizon `from`, and the horizon of this look. */
export async function listOrganizationsWithEvents(
  db: Queryable,
  from: { xid: string; atMs: number },
): Promise<{ organizationIds: string[]; horizon: { xid: string; atMs: number } }> {
  const rows = await db.query<{ xid: string; at: Date; organization_id: string | null }>({
    name: 'event_list_organizations',
    text: `
      SELECT now.xid::text AS xid, now() AS at, e.organization_id
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN LATERAL (
        SELECT DISTINCT organization_id FROM event
        WHERE at >= $2 AND xid >= $1::xid8 AND xid < pg_snapshot_xmin(pg_current_snapshot())
      ) e ON true`,
    values: [from.xid, new Date(Math.max(0, from.atMs - SLACK_SECONDS * 1000))],
  });
  const horizon = rows[0];
  if (horizon === undefined) throw new Error('no horizon');
  return {
    organizationIds: rows.flatMap((row) => row.organization_id ?? []),
    horizon: { xid: horizon.xid, atMs: horizon.at.getTime() },
  };
}

/** What tells of an event without reading it whole. */
export interface EventHead extends EventKey {
  position: EventPosition;
  type: EventType;
  numberId: number | null;
}

/** The next events of one organization after `from`, at most `limit`, without what they say, and the horizon they lie below. */
export async function listEventHeads(
  db: Queryable,
  organizationId: string,
  from: EventPosition,
  limit: number,
): Promise<{ heads: EventHead[]; horizon: string }> {
  type HeadRow = Pick<EventRow, 'subject_id' | 'sequence' | 'xid' | 'at' | 'type' | 'number_id'>;
  const rows = await db.query<{ horizon: string } & (HeadRow | { subject_id: null })>({
    name: 'event_list_heads',
    text: `
      SELECT now.xid::text AS horizon, f.subject_id, f.sequence, f.xid::text AS xid, f.at, f.type, f.number_id
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) now
      LEFT JOIN (
        SELECT e.subject_id, e.sequence, e.xid, e.at, e.type, e.number_id
        FROM event e WHERE e.organization_id = $5 AND e.at >= $4 AND ${afterOfOne('$1', '$2', '$3')}
        ORDER BY ${ORDER_OF_ONE} LIMIT $6
      ) f ON true
      ORDER BY f.xid, f.subject_id, f.sequence`,
    values: [...positionValues(from), organizationId, limit],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('no horizon');
  const found = rows.filter((row) => row.subject_id !== null);
  const heads = found.map((row) => ({
    subjectId: row.subject_id,
    sequence: row.sequence,
    position: toPosition(row),
    type: eventTypeOf(row.type),
    numberId: row.number_id,
  }));
  return { heads, horizon: first.horizon };
}
