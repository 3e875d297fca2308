import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import type { WabaRef } from '../waba-ref.ts';
import { FREE_AFTER_MS_MAX, type LookRequest, NEXT_TURN_MS_MAX, OPEN_STATUSES } from './review-schedule.ts';

/** One WABA's turn, held by this node until the turn is finished or its lease expires. */
export interface ClaimedPoll extends WabaRef {
  /** Looks so far, this one included. */
  looks: number;
  wantedIds: string[];
  fullyReadAt: Date;
  paidUntil: Date;
  leaseEnd: Date;
}

export interface FinishedPoll {
  /** Requested ids that need no more reading. */
  readIds: readonly string[];
  /** Time of the next look if nothing was requested meanwhile. */
  nextAtMs: number;
  /** Time of the next look if something was requested meanwhile. */
  soonAtMs: number;
  freeAtMs: number;
  paidUntilMs: number;
}

/** The requests of a statement, after the time now and the latest time at which a WABA may be free. */
const LOOKS = arrayTable<LookRequest>(3)({
  organization_id: ['uuid', (request) => request.organizationId],
  waba_id: ['text', (request) => request.wabaId],
  due_at: ['timestamptz', (request) => new Date(request.dueAtMs)],
  looks: ['smallint', (request) => request.looks],
  template_id: ['text', (request) => request.templateId],
});

/** Requests looks at templates. The earliest time counts, within the budget. */
export async function requestLooks(tx: Queryable, requests: readonly LookRequest[], nowMs: number): Promise<void> {
  if (requests.length === 0) return;
  await tx.query({
    name: 'template_poll_request',
    // A `free_at` further ahead than a turn can wait was written by a clock that has been set back since; it is ignored.
    text: `
      INSERT INTO template_poll (organization_id, waba_id, due_at, looks, wanted_ids, fully_read_at, free_at, paid_until)
      SELECT organization_id, waba_id, min(due_at), min(looks),
        coalesce(array_agg(DISTINCT template_id) FILTER (WHERE template_id IS NOT NULL), '{}'), $1, $1, $1
      FROM ${LOOKS.from('wanted')}
      GROUP BY organization_id, waba_id
      ORDER BY organization_id, waba_id
      ON CONFLICT (organization_id, waba_id) DO UPDATE
      SET due_at = greatest(
          CASE WHEN template_poll.free_at <= $2 THEN template_poll.free_at END,
          least(template_poll.due_at, excluded.due_at)),
        looks = least(template_poll.looks, excluded.looks),
        wanted_ids = ARRAY (SELECT DISTINCT unnest(template_poll.wanted_ids || excluded.wanted_ids))`,
    values: [new Date(nowMs), new Date(nowMs + FREE_AFTER_MS_MAX), ...LOOKS.values(requests)],
  });
}

/** Records a complete reading of a WABA's templates: it answers every request made before it. */
export async function noteFullReading(
  tx: Queryable,
  { organizationId, wabaId }: WabaRef,
  readAt: Date,
  nextAt: Date,
): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO template_poll (organization_id, waba_id, due_at, fully_read_at, free_at, paid_until)
      VALUES ($1, $2, $4, $3, $3, $3)
      ON CONFLICT (organization_id, waba_id) DO UPDATE
      SET fully_read_at = greatest(template_poll.fully_read_at, excluded.fully_read_at)`,
    values: [organizationId, wabaId, readAt, nextAt],
  });
}

/**
 * Claims up to `limit` WABAs that are due, and holds them until `leaseEnd`. A WABA due further ahead than any turn is claimed, too: a clock
 * that has been set back since wrote it. Rows that another node is claiming are skipped, so two nodes never look at the same templates.
 */
export async function claimPolls(
  db: Queryable,
  claim: { now: Date; leaseEnd: Date; limit: number },
): Promise<ClaimedPoll[]> {
  return await db.query<ClaimedPoll>({
    name: 'template_poll_claim',
    text: `
      WITH due AS (
        SELECT organization_id, waba_id FROM template_poll WHERE due_at <= $1
        ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ), ahead AS (
        SELECT organization_id, waba_id FROM template_poll WHERE due_at > $4
        ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      )
      UPDATE template_poll AS poll
      SET due_at = $2, free_at = $2, looks = least(poll.looks + 1, 100), fully_read_at = least(poll.fully_read_at, $1)
      FROM (TABLE due UNION ALL TABLE ahead LIMIT $3) AS due
      WHERE poll.organization_id = due.organization_id AND poll.waba_id = due.waba_id
      RETURNING poll.organization_id AS "organizationId", poll.waba_id AS "wabaId", poll.looks,
        poll.wanted_ids AS "wantedIds", poll.fully_read_at AS "fullyReadAt", poll.paid_until AS "paidUntil",
        poll.free_at AS "leaseEnd"`,
    values: [claim.now, claim.leaseEnd, claim.limit, new Date(claim.now.getTime() + NEXT_TURN_MS_MAX)],
  });
}

/** Ends a turn and sets the next one, unless the lease expired and another node has claimed the WABA. */
export async function finishPoll(db: Queryable, claimed: ClaimedPoll, finished: FinishedPoll): Promise<void> {
  await db.query({
    name: 'template_poll_finish',
    // Fewer looks than were claimed: a request since then expects a change.
    text: `
      UPDATE template_poll AS poll
      SET wanted_ids = ARRAY (SELECT id FROM unnest(poll.wanted_ids) AS id WHERE id <> ALL ($4::text[])),
        free_at = $7, paid_until = $8,
        due_at = greatest($7, CASE
          WHEN poll.looks < $3 THEN least($5::timestamptz, $6::timestamptz)
          ELSE $5::timestamptz END)
      WHERE poll.organization_id = $1 AND poll.waba_id = $2 AND poll.free_at = $9`,
    values: [
      claimed.organizationId,
      claimed.wabaId,
      claimed.looks,
      finished.readIds,
      new Date(finished.nextAtMs),
      new Date(finished.soonAtMs),
      new Date(finished.freeAtMs),
      new Date(finished.paidUntilMs),
      claimed.leaseEnd,
    ],
  });
}

/** Returns the ids of a WABA's templates in a status that the upstream will end by itself, and the number of its templates. */
export async function readOpenTemplates(
  db: Queryable,
  { organizationId, wabaId }: WabaRef,
): Promise<{ openIds: string[]; count: number }> {
  const rows = await db.query<{ openIds: string[] | null; count: number }>({
    name: 'template_read_open',
    text: `
      SELECT array_agg(id ORDER BY id) FILTER (WHERE status = ANY ($3::text[])) AS "openIds", count(*) AS count
      FROM template WHERE organization_id = $1 AND waba_id = $2 AND status <> 'DELETED'`,
    values: [organizationId, wabaId, OPEN_STATUSES],
  });
  const { openIds, count } = firstRow(rows);
  return { openIds: openIds ?? [], count };
}
