import type { Leases } from '../../leases/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler } from '../scheduler/index.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import type { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { type Abandonment, endOfAbandoned } from './abandonment.ts';
import type { Settler } from './settle.ts';

export interface AbandonerDeps {
  book: Pick<NumberBook, 'find'>;
  inFlight: Pick<InFlight, 'has'>;
  leases: Pick<Leases, 'isCurrent'>;
  scheduler: Pick<Scheduler, 'isHeld'>;
  settler: Pick<Settler, 'dropWaiting'>;
  unknown: Pick<UnknownOutcomes, 'findReported'>;
}

/** Ends waiting messages that will not be sent any more. */
export class Abandoner {
  readonly #deps: AbandonerDeps;

  constructor(deps: AbandonerDeps) {
    this.#deps = deps;
  }

  /** Returns false if the message may have been sent, or if it belongs to another node now. */
  async abandon(row: QueueRow, why: Abandonment): Promise<boolean> {
    const { book, inFlight, leases, scheduler, settler, unknown } = this.#deps;
    const number = book.find(row.numberId);
    const reported = await unknown.findReported(row, row.attemptedAtMs);
    // Since the row was read, the message may be in flight or held here. If the lease expired, another node may have sent it.
    const mayBeSent = inFlight.has(row.seq) || scheduler.isHeld(row.seq) || !leases.isCurrent();
    if (number === undefined || mayBeSent || reported === 'unanswered') return false;
    await settler.dropWaiting(row, number.organizationId, reported ?? endOfAbandoned(why, row.unknownCount));
    return true;
  }
}
