import { digestUuidAt } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type ClosingWindow, markClosing } from './closing-queries.ts';
import { conversationId } from './conversation-id.ts';
import { WINDOW_MS, windowOpenUntilMs } from './window.ts';

/** Time before the end of a window at which its closing is reported. */
const NOTICE_MS = 60 * 60 * 1000;
const WINDOWS_AT_ONCE_MAX = 1_000;

/** An event `window.closing`; `id` is the same for each report of one closing. */
interface ClosingEvent {
  id: string;
  organizationId: string;
  type: 'window.closing';
  numberId: number;
  occurredAtMs: number;
  detail: string;
}

export interface ClosingDeps {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** Lists the organizations that have asked for these events. */
  listAsking(db: Queryable): Promise<string[]>;
  record(tx: Queryable, events: ClosingEvent[]): Promise<unknown>;
}

/**
 * Records an event for each window of an asking organization that closes within the hour: once for each opening, in the transaction that
 * marks the window, on whichever node comes first. A window that was refreshed meanwhile is not due. After an outage, only windows that
 * are still open are reported.
 */
export async function noteClosingWindows({ db, clock, listAsking, record }: ClosingDeps): Promise<void> {
  const organizationIds = await listAsking(db);
  if (organizationIds.length === 0) return;
  for (let marked = WINDOWS_AT_ONCE_MAX; marked === WINDOWS_AT_ONCE_MAX; ) {
    const nowMs = clock.now();
    const range = { afterMs: nowMs - WINDOW_MS, untilMs: nowMs - WINDOW_MS + NOTICE_MS };
    marked = await db.transaction(async (tx) => {
      const closing = await markClosing(tx, organizationIds, range, WINDOWS_AT_ONCE_MAX);
      await record(
        tx,
        closing.map((window) => eventOf(window, nowMs)),
      );
      return closing.length;
    });
  }
}

function eventOf(window: ClosingWindow, nowMs: number): ClosingEvent {
  const { organizationId, numberId, accountId, contact, person, name, openedAtMs, by } = window;
  const endsAtMs = windowOpenUntilMs(openedAtMs);
  return {
    id: digestUuidAt(endsAtMs, 'window closing', organizationId, String(numberId), contact),
    organizationId,
    type: 'window.closing',
    numberId,
    occurredAtMs: nowMs,
    detail: JSON.stringify({
      person,
      conversation_id: conversationId(accountId, name),
      opened_by: by,
      window_expires_at: new Date(endsAtMs).toISOString(),
    }),
  };
}
