import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { savePairDebt } from '../queue/pair-debt-queries.ts';
import type { Scheduler } from '../scheduler/index.ts';

export interface PairDebtDeps {
  db: Database;
  clock: Clock;
  scheduler: Pick<Scheduler, 'listPairDebt'>;
}

/** Longest time without a call of the database, which also deletes debts that have passed. */
const REST_MS = 60_000;

/** Used bursts of pairs, as stored for the next owner of their numbers. */
export class PairDebts {
  readonly #deps: PairDebtDeps;
  #savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: PairDebtDeps) {
    this.#deps = deps;
  }

  /** Stores the used bursts of these numbers' pairs. Call it every few seconds. */
  async save(numberIds: number[]): Promise<void> {
    const { db, clock, scheduler } = this.#deps;
    const nowMs = clock.monotonicMs();
    const wallMs = clock.now();
    const debts = numberIds.flatMap((numberId) =>
      scheduler
        .listPairDebt(nowMs, numberId)
        .map(({ contact, debtMs }) => ({ numberId, contact, freeAtMs: wallMs + debtMs })),
    );
    if (debts.length === 0 && nowMs - this.#savedAtMs < REST_MS) return;
    await savePairDebt(db, debts);
    this.#savedAtMs = nowMs;
  }
}
