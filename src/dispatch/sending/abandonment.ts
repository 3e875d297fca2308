import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { UNKNOWN_OUTCOME } from '../unknown-outcomes/unknown-outcomes.ts';
import type { Journaled } from './journal-queries.ts';

/** What a message that is not to be sent any more fails with. */
const ABANDONED = {
  expired: {
    kind: 'failed',
    errorCode: 'EXPIRED',
    errorMessage: 'The message was not dispatched within its time.',
  },
  cancelled: {
    kind: 'failed',
    errorCode: 'CANCELLED',
    errorMessage: 'The message was cancelled before it was dispatched.',
  },
  disconnected: {
    kind: 'failed',
    errorCode: 'CANCELLED',
    errorMessage: 'The sending number was disconnected before the message was dispatched.',
  },
} as const;

/** Why a waiting message is not to be sent any more. */
export type Abandonment = keyof typeof ABANDONED;

/** Why a journaled message is not to be sent any more; undefined when it is. */
export function abandonmentOf(entry: Journaled, nowMs: number): Abandonment | undefined {
  if (entry.cancelled) return 'cancelled';
  if (entry.released) return 'disconnected';
  return entry.expiresAtMs <= nowMs ? 'expired' : undefined;
}

/** How a message that is not to be sent any more ends: after an unknown outcome nobody can say that it was not dispatched. */
export function endOfAbandoned(why: Abandonment, unknownCount: number): DispatchOutcome {
  return unknownCount === 0 ? ABANDONED[why] : UNKNOWN_OUTCOME;
}
