import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { UNKNOWN_OUTCOME } from '../unknown-outcomes/unknown-outcome.ts';
import type { Journaled } from './journal-queries.ts';

/** Error of a message that will not be sent any more, per reason. */
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
  optedOut: {
    kind: 'failed',
    errorCode: 'RECIPIENT_OPTED_OUT',
    errorMessage: 'The recipient opted out of marketing before the message was dispatched.',
  },
} as const;

/** Reason not to send a waiting message any more. */
export type Abandonment = keyof typeof ABANDONED;

/** Returns the reason not to send a journaled message any more; undefined if it is to be sent. */
export function abandonmentOf(entry: Journaled, nowMs: number): Abandonment | undefined {
  if (entry.cancelled) return 'cancelled';
  if (entry.released) return 'disconnected';
  if (entry.optedOut) return 'optedOut';
  return entry.expiresAtMs <= nowMs ? 'expired' : undefined;
}

/**
 * Returns the end of a message that will not be sent any more. After an unknown outcome it may have been sent, so it ends as
 * UNKNOWN_OUTCOME.
 */
export function endOfAbandoned(why: Abandonment, unknownCount: number): DispatchOutcome {
  return unknownCount === 0 ? ABANDONED[why] : UNKNOWN_OUTCOME;
}
