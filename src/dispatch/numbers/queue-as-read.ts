import { HOLD_TIMES, WAITS_MAX } from '../outcomes/outcome-policy.ts';
import { UNWRITTEN_DEBT_MS_MAX } from '../queue/pair-debt-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { NumberOpening, QueueRow as SchedulerRow } from '../scheduler/index.ts';

/** The largest possible debt of a pair: the full burst, 45 messages at one per six seconds, plus the longest penalty. */
const PAIR_DEBT_MS_MAX = 45 * 6_000 + WAITS_MAX.pairMs;

/** Rows read from one number's queue. */
export interface NumberRead {
  /** The first rows of its flows. A flow with `limit` rows may have more. */
  heads: readonly QueueRow[];
  limit: number;
  /** Its unknown outcomes. */
  held: readonly QueueRow[];
  /** Used bursts of its pairs. Epoch ms. */
  debts: readonly { contact: string; freeAtMs: number }[];
  /** End of the time in which a previous owner may have sent from it, on the monotonic clock. */
  sentUntilMs: number;
}

/** Converts the rows for the scheduler. `offsetMs` converts wall-clock times to the monotonic clock. */
export function queueAsRead(
  { heads, limit, held, debts, sentUntilMs }: NumberRead,
  nowMs: number,
  offsetMs: number,
): Pick<NumberOpening, 'flows' | 'held' | 'pairDebt' | 'pairsFreeAtMs'> {
  const flows = [...Map.groupBy(heads, (row) => row.flowId)];
  return {
    flows: flows.map(([flowId, rows]) => ({
      flowId,
      rows: rows.map((row) => toSchedulerRow(row, nowMs, offsetMs)),
      more: rows.length >= limit,
    })),
    held: held.map((row) => ({
      row: toSchedulerRow(row, nowMs, offsetMs),
      // Only longer if the clock was set back since.
      untilMs: Math.min((row.holdUntilMs ?? 0) + offsetMs, nowMs + HOLD_TIMES.restoredMs),
    })),
    pairDebt: debts.map(({ contact, freeAtMs }) => ({
      contact,
      debtMs: Math.min(freeAtMs + offsetMs - nowMs, PAIR_DEBT_MS_MAX),
    })),
    pairsFreeAtMs: sentUntilMs + UNWRITTEN_DEBT_MS_MAX,
  };
}

/** Converts a queue row for the scheduler, with times on the monotonic clock. */
export function toSchedulerRow(row: QueueRow, nowMs: number, offsetMs: number): SchedulerRow {
  return {
    seq: row.seq,
    numberId: row.numberId,
    flowId: row.flowId,
    contact: row.contact,
    messageId: row.messageId,
    acceptedAtMs: row.acceptedAtMs,
    attempt: row.attempt,
    dueAtMs: row.dueAtMs === null ? null : Math.min(row.dueAtMs + offsetMs, nowMs + WAITS_MAX.retryMs),
  };
}
