import type { Clock } from '../../core/time/clock.ts';
import { type Leases, shardOf } from '../../leases/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { Scheduler } from '../scheduler/index.ts';
import type { AcceptanceJournal, AcceptedJournal } from '../sending/acceptance-journal-queries.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { QueuedRow, UnstoredRow } from './queue-sink.ts';
import type { ShardQueues } from './shard-queues.ts';

export interface AcceptanceClaimsDeps {
  clock: Clock;
  upstream: Pick<Upstream, 'platformClock'>;
  leases: Pick<Leases, 'epochOf'>;
  inFlight: Pick<InFlight, 'promise'>;
  scheduler: Pick<Scheduler, 'wouldTake'>;
  queues: Pick<ShardQueues, 'findsOwn'>;
}

/** More messages at once are a load under which they share a journal anyway. */
const ROWS_MAX = 8;
/** State of a message right after its acceptance. */
const AS_ACCEPTED = {
  ...{ cancelled: false, paused: false, released: false, optedOut: false },
  ...{ attempt: 0, unknownCount: 0, attemptedAtMs: null },
};

/** Lets the statement that accepts messages write their journal as well, if all of them would be sent at once. */
export class AcceptanceClaims {
  readonly #deps: AcceptanceClaimsDeps;

  constructor(deps: AcceptanceClaimsDeps) {
    this.#deps = deps;
  }

  /** Returns the journal to write; undefined if a message would have to wait. A wrong guess costs a journal row that is soon deleted. */
  claim(rows: readonly UnstoredRow[]): AcceptanceJournal | undefined {
    const { clock, inFlight, leases, queues, scheduler, upstream } = this.#deps;
    if (rows.length > ROWS_MAX || queues.findsOwn) return undefined;
    const pairs = new Set(rows.map(({ numberId, contact }) => `${numberId}/${contact}`));
    if (pairs.size < rows.length) return undefined;
    const epochs = new Map<number, number>();
    for (const shard of new Set(rows.map(({ numberId }) => shardOf(numberId)))) {
      const epoch = leases.epochOf(shard);
      if (epoch === undefined) return undefined;
      epochs.set(shard, epoch);
    }
    const nowMs = clock.monotonicMs();
    if (!scheduler.wouldTake(nowMs, rows)) return undefined;
    const batch = inFlight.promise([...epochs.keys()]);
    return { batch, epochs, atMs: upstream.platformClock.now(), journaledAtMs: nowMs };
  }
}

/** Returns a journal with the messages that their acceptance has written into it. */
export function acceptedJournal(journal: AcceptanceJournal, rows: readonly QueuedRow[]): AcceptedJournal {
  const journaled = rows.filter(({ isJournaled }) => isJournaled);
  const entries = journaled.map(({ messageId, expiresAtMs, traceparent = null, marketing, body }) => {
    return [messageId, { ...AS_ACCEPTED, expiresAtMs, traceparent, marketing, body }] as const;
  });
  return { ...journal, entries: new Map(entries) };
}
