import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { savePairDebt } from '../queue/pair-debt-queries.ts';
import type { Scheduler } from '../scheduler/index.ts';

export interface PairDebtDeps {
  db: Database;
  clock: Clock;
  scheduler: Pick<Scheduler, 'listPairDebt'>;
}

/** Stores the used bursts of these numbers' pairs for the next owner, and deletes debts that have passed. */
export async function savePairDebts({ db, clock, scheduler }: PairDebtDeps, numberIds: number[]): Promise<void> {
  const nowMs = clock.monotonicMs();
  const wallMs = clock.now();
  const debts = numberIds.flatMap((numberId) =>
    scheduler
      .listPairDebt(nowMs, numberId)
      .map(({ contact, debtMs }) => ({ numberId, contact, freeAtMs: wallMs + debtMs })),
  );
  await savePairDebt(db, debts);
}
