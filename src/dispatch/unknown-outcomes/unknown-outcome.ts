import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import type { Postponement } from '../outcomes/result-queries.ts';
import type { QueueKey, QueueRow } from '../queue/queue-row.ts';
import type { Settlement } from '../scheduler/index.ts';
import type { OwnAttempt } from './in-flight.ts';

/** A message that may have been sent. Times are epoch milliseconds. */
export interface UnknownOutcome extends QueueKey, Pick<QueueRow, 'contact' | 'attempt' | 'unknownCount'> {
  /** Start of the attempt with the unknown outcome, by the platform's clock as known at that time. */
  attemptedAtMs: number;
  /**
   * The same start by this process's monotonic clock, if this process made the attempt before the platform's clock was known. It is
   * undefined if the clock was known. A later reading could not correct that start, because the monotonic clock may have stopped with the
   * machine in between.
   */
  attemptedMonotonicMs?: number | undefined;
  holdUntilMs: number;
}

/** Start of an attempt, in the form that an unknown outcome stores. */
export type AttemptTime = Pick<UnknownOutcome, 'attemptedAtMs' | 'attemptedMonotonicMs'>;

/** A message to put back into the queue, without its attempt if the platform turned out not to have the message. */
export type PutBack = Omit<UnknownOutcome, 'attemptedAtMs'> & Pick<Postponement, 'attemptedAtMs' | 'undoneAtMs'>;

/** The end of an attempt of this process, with an outcome that is known. */
export interface EndedHere {
  settlement: Exclude<Settlement, { kind: 'hold' }>;
  /** Undefined if there was none yet. */
  attempt: OwnAttempt | undefined;
}

/** Ends a message if it cannot be known that it was sent. */
export const UNKNOWN_OUTCOME = {
  kind: 'failed',
  errorCode: 'UNKNOWN_OUTCOME',
  errorMessage: 'It is not known whether the upstream platform took the message.',
} as const;

/** Converts a status to the end of its message. The message was sent no later than the status says, however late the status arrives. */
export function sentAsReported({ wamid, at }: { wamid: string; at: Date }): DispatchOutcome {
  return { kind: 'sent', wamid, reportedAtMs: at.getTime() };
}

/** Returns the unknown outcome that a held queue row describes. */
export function unknownOutcomeOf(row: QueueRow): UnknownOutcome {
  return { ...row, attemptedAtMs: row.attemptedAtMs ?? row.acceptedAtMs, holdUntilMs: row.holdUntilMs ?? 0 };
}
