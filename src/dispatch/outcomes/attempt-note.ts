import type { SendOutcome } from '../../upstream/index.ts';
import type { Reaction } from './outcome-policy.ts';

/** An attempt that neither succeeded nor ended its message, as shown on the message's timeline. */
export interface AttemptNote {
  organizationId: string;
  messageId: string;
  /** Start of the attempt, epoch ms. */
  atMs: number;
  outcome: 'throttled' | 'unavailable' | 'unsent' | 'blocked' | 'unknown';
  errorCode: string | null;
  errorMessage: string | null;
  /** Earliest time of the next attempt, epoch ms; null if it depends on an action of the tenant. */
  nextAtMs: number | null;
}

/** Error message of an attempt that the next owner of the number noted: its journal row was written, but its end was not recorded. */
export const INTERRUPTED = 'interrupted';
/** Longer than the time between an attempt's journal row and its first byte, and shorter than a hold, which precedes the next attempt. */
const SAME_ATTEMPT_MS = 5_000;

/**
 * Removes duplicate notes of one attempt, from notes sorted by time. A process that lost a number may still learn the end of an attempt
 * that the next owner noted as interrupted. The note with the real end is kept.
 */
export function eachOnce(notes: readonly AttemptNote[]): AttemptNote[] {
  return notes.filter((note, index) => {
    const next = notes[index + 1];
    return note.errorMessage !== INTERRUPTED || next === undefined || next.atMs - note.atMs > SAME_ATTEMPT_MS;
  });
}

/**
 * Returns the note of an attempt. Returns undefined if the message itself shows the result: accepted by the platform, or failed for good.
 * `nowMs` is the time at which the outcome was known.
 */
export function noteOf(
  message: { organizationId: string; messageId: string },
  startedAtMs: number,
  nowMs: number,
  outcome: SendOutcome,
  reaction: Reaction,
): AttemptNote | undefined {
  if (outcome.kind === 'accepted' || outcome.kind === 'rejected') return undefined;
  if (reaction.kind === 'sent' || reaction.kind === 'failed') return undefined;
  const { organizationId, messageId } = message;
  const errorCode = 'code' in outcome ? outcome.code : null;
  const errorMessage = 'message' in outcome ? outcome.message : 'reason' in outcome ? outcome.reason : null;
  const nextAtMs = waitOf(reaction, nowMs);
  return { organizationId, messageId, atMs: startedAtMs, outcome: outcome.kind, errorCode, errorMessage, nextAtMs };
}

function waitOf(reaction: Exclude<Reaction, { kind: 'sent' | 'failed' }>, nowMs: number): number | null {
  switch (reaction.kind) {
    case 'again':
      return nowMs + Math.max(reaction.waitMs, reaction.park?.waitMs ?? 0);
    case 'hold':
    case 'holdOn':
      return nowMs + reaction.waitMs;
    case 'stop':
      return null;
  }
}
