import type { SendOutcome } from '../../upstream/index.ts';
import type { Reaction } from './outcome-policy.ts';

/** An attempt to send that neither succeeded nor ended its message: what the message's timeline shows of it. */
export interface AttemptNote {
  organizationId: string;
  messageId: string;
  /** When it began, epoch ms. */
  atMs: number;
  outcome: 'throttled' | 'unavailable' | 'unsent' | 'blocked' | 'unknown';
  errorCode: string | null;
  errorMessage: string | null;
  /** Earliest time of the next one, epoch ms; null when that is up to somebody. */
  nextAtMs: number | null;
}

/** The message of an attempt noted by whoever took its number over: its journal was written, and its end was not recorded. */
export const INTERRUPTED = 'interrupted';
/** More than lies between an attempt's journal and its first byte, and less than a hold, which is before the next attempt. */
const SAME_ATTEMPT_MS = 5_000;

/**
 * Each attempt once, of notes in the order of their times: a process that lost a number and lives on may see the end of one that was
 * noted as interrupted, and knows better.
 */
export function eachOnce(notes: readonly AttemptNote[]): AttemptNote[] {
  return notes.filter((note, index) => {
    const next = notes[index + 1];
    return note.errorMessage !== INTERRUPTED || next === undefined || next.atMs - note.atMs > SAME_ATTEMPT_MS;
  });
}

/**
 * What is to be noted of an attempt; undefined when the message itself tells, because the upstream took it or it failed for good.
 * `nowMs` is when the outcome was known.
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
